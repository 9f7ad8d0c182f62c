"""Gives an index with half a million digits."""

from prelude import hear, raw, ready

ready()
act = hear("act")
raw(b'{"type":"action","id":%d,"index":%s}\n' % (act["id"], b"9" * 500_000))
