"""Gives `true` as its index."""

from prelude import answer, hear, ready

ready()
answer(hear("act"), index=True)
