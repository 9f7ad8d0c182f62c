"""Writes well-formed answers to an old question for ever, as fast as it can."""

from prelude import ready, receive, send_bytes

ready()
receive("act")
while True:
    send_bytes(b'{"type":"action","id":0,"index":0}\n' * 10_000)
