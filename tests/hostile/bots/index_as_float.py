"""Gives its index as 1.0."""

from prelude import answer, ready, receive

ready()
answer(receive("act"), index=1.0)
