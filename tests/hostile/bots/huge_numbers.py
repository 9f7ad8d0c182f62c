"""Gives an index with half a million digits."""

from prelude import ready, receive, send_bytes

ready()
act = receive("act")
send_bytes(b'{"type":"action","id":%d,"index":%s}\n' % (act["id"], b"9" * 500_000))
