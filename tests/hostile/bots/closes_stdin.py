"""Closes its standard input, answers once more and stays."""

import os

from prelude import answer, hear, linger, ready

ready()
act = hear("act")
os.close(0)
answer(act)
linger()
