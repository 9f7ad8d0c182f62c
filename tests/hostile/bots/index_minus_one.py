"""Counts from the end, as in Python: index -1."""

from prelude import answer, hear, ready

ready()
answer(hear("act"), index=-1)
