"""Counts from the end, as in Python: index -1."""

from prelude import answer, ready, receive

ready()
answer(receive("act"), index=-1)
