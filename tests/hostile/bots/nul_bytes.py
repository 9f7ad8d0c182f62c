"""Ends its answer with a NUL byte, as strings end in C."""

from prelude import hear, raw, ready

ready()
act = hear("act")
raw(b'{"type":"action","id":%d,"index":0}\0\n' % act["id"])
