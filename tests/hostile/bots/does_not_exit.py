"""Sends garbage, and then ignores its fault, `quit`, the end of its input and SIGTERM."""

import signal

from prelude import ready, receive, send_bytes, wait_forever

signal.signal(signal.SIGTERM, signal.SIG_IGN)
ready()
receive("act")
send_bytes(b"I shall not be moved\n")
wait_forever()
