"""Answers each question twice."""

from prelude import answer, hear, ready

ready()
while True:
    act = hear("act")
    answer(act)
    answer(act)
