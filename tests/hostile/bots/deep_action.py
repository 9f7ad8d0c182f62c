"""Has half a million nested lists as its action."""

from prelude import ready, receive, send_bytes

ready()
act = receive("act")
send_bytes(b'{"type":"action","id":%d,"action":%s}\n' % (act["id"], b"[" * 500_000 + b"]" * 500_000))
