"""Leaves with status 0 as if all were done, before its first answer."""

import sys

from prelude import hear, ready

ready()
hear("start")
sys.exit(0)
