"""Has half a surrogate pair in its answer."""

from prelude import hear, raw, ready

ready()
act = hear("act")
raw(b'{"type":"action","id":%d,"index":0,"info":"half \\ud83c of an emoji"}\n' % act["id"])
