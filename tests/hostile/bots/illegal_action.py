"""Wants what is well-formed, but not on offer."""

from prelude import answer, hear, ready

ready()
answer(hear("act"), action={"count": 1000})
