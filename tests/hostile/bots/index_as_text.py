"""Gives its index as the string "1"."""

from prelude import answer, hear, ready

ready()
answer(hear("act"), index="1")
