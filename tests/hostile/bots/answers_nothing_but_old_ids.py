"""Answers the question before the open one, again and again."""

from prelude import answer, ready, receive

ready()
while True:
    answer({"id": receive("act")["id"] - 1})
