"""Puts megabytes of old answers before each good one, and megabytes of logs beside it."""

import os

from prelude import answer, ready, receive, send_bytes

ready()
while True:
    act = receive("act")
    os.write(2, b"log\n" * 250_000)
    send_bytes(b'{"type":"action","id":0,"index":0}\n' * 30_000)
    answer(act)
