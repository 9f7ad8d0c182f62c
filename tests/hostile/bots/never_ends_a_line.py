"""Answers without the LF at the end, and waits for thanks."""

from prelude import hear, linger, raw, ready

ready()
act = hear("act")
raw(b'{"type":"action","id":%d,"index":0}' % act["id"])
linger()
