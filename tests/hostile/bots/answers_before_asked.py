"""Guesses the ids of the questions to come and answers them all in advance."""

from prelude import answer, linger, ready

ready()
for number in range(1, 100):
    answer({"id": number})
linger()
