"""Answers in bytes that are no UTF-8."""

from prelude import ready, receive, send_bytes

ready()
act = receive("act")
send_bytes(b'{"type":"action","id":%d,"index":0,"info":"caf\xe9"}\n' % act["id"])
