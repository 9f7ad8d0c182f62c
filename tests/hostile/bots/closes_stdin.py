"""Closes its standard input, answers once more and stays."""

import os

from prelude import answer, ready, receive, wait_forever

ready()
act = receive("act")
os.close(0)
answer(act)
wait_forever()
