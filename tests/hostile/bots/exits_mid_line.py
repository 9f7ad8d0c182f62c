"""Exits in the middle of its answer."""

import sys

from prelude import ready, receive, send_bytes

ready()
receive("act")
send_bytes(b'{"type":"action","id"')
sys.exit(4)
