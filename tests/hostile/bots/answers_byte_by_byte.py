"""Writes its answer one byte per second."""

import time

from prelude import ready, receive, send_bytes

ready()
act = receive("act")
for byte in b'{"type":"action","id":%d,"index":0}\n' % act["id"]:
    send_bytes(bytes([byte]))
    time.sleep(1)
