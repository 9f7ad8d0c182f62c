"""Answers the question before the open one, again and again."""

from prelude import answer, hear, ready

ready()
while True:
    answer({"id": hear("act")["id"] - 1})
