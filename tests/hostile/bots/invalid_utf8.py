"""Answers in bytes that are no UTF-8."""

from prelude import hear, raw, ready

ready()
act = hear("act")
raw(b'{"type":"action","id":%d,"index":0,"info":"caf\xe9"}\n' % act["id"])
