"""Gives its index as the string "1"."""

from prelude import answer, ready, receive

ready()
answer(receive("act"), index="1")
