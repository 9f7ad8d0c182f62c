"""Gives its index as 1.0."""

from prelude import answer, hear, ready

ready()
answer(hear("act"), index=1.0)
