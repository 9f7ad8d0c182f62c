"""Guesses the ids of the questions to come and answers them all in advance."""

from prelude import answer, ready, wait_forever

ready()
for number in range(1, 100):
    answer({"id": number})
wait_forever()
