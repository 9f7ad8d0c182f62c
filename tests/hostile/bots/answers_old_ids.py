"""Answers all the old questions again before the open one."""

from prelude import answer, ready, receive

ready()
while True:
    act = receive("act")
    for old in range(-3, act["id"]):
        answer({"id": old}, index=99)
    answer(act)
