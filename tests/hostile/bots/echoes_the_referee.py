"""Sends back every line it gets."""

import sys

from prelude import raw

for line in sys.stdin.buffer:
    raw(line)
