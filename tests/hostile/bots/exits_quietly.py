"""Leaves with status 0 as if all were done, before its first answer."""

import sys

from prelude import ready, receive

ready()
receive("start")
sys.exit(0)
