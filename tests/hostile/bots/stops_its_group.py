"""Stops itself and its children with SIGSTOP, in the middle of a line."""

import os
import signal

from prelude import fork, ready, receive, send_bytes, wait_forever

ready()
receive("act")
if fork():
    wait_forever()
send_bytes(b'{"type"')
os.killpg(0, signal.SIGSTOP)
