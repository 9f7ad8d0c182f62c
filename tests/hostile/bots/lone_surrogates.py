"""Has half a surrogate pair in its answer."""

from prelude import ready, receive, send_bytes

ready()
act = receive("act")
send_bytes(b'{"type":"action","id":%d,"index":0,"info":"half \\ud83c of an emoji"}\n' % act["id"])
