"""Answers once, and exits instead of answering again."""

import sys

from prelude import play, ready, receive

ready()
play(1)
receive("act")
sys.exit(5)
