"""Answers without the LF at the end."""

from prelude import ready, receive, send_bytes, wait_forever

ready()
act = receive("act")
send_bytes(b'{"type":"action","id":%d,"index":0}' % act["id"])
wait_forever()
