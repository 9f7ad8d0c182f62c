"""Exits in the middle of its answer."""

import sys

from prelude import hear, raw, ready

ready()
hear("act")
raw(b'{"type":"action","id"')
sys.exit(4)
