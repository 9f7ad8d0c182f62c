"""Sends back every line it gets."""

import sys

from prelude import send_bytes

for line in sys.stdin.buffer:
    send_bytes(line)
