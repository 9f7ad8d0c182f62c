"""Ends its answer with a NUL byte, as strings end in C."""

from prelude import ready, receive, send_bytes

ready()
act = receive("act")
send_bytes(b'{"type":"action","id":%d,"index":0}\0\n' % act["id"])
