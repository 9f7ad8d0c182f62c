"""Wants what is well-formed, but not on offer."""

from prelude import answer, ready, receive

ready()
answer(receive("act"), action={"count": 1000})
