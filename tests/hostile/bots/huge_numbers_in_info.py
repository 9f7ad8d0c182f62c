"""Plays well, with numbers in `info` that no machine has: 1e999 and one of 100,000 digits."""

from prelude import ready, receive, send_bytes

ready()
while True:
    act = receive("act")
    send_bytes(b'{"type":"action","id":%d,"index":0,"info":[1e999,%s]}\n' % (act["id"], b"9" * 100_000))
