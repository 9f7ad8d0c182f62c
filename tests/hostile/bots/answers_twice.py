"""Answers each question twice."""

from prelude import answer, ready, receive

ready()
while True:
    act = receive("act")
    answer(act)
    answer(act)
