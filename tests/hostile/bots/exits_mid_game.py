"""Answers once, and exits instead of answering again."""

import sys

from prelude import hear, play, ready

ready()
play(1)
hear("act")
sys.exit(5)
