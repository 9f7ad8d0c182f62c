"""Has half a million nested lists as its action."""

from prelude import hear, raw, ready

ready()
act = hear("act")
raw(b'{"type":"action","id":%d,"action":%s}\n' % (act["id"], b"[" * 500_000 + b"]" * 500_000))
