"""Gives 10^30 as its index."""

from prelude import answer, hear, ready

ready()
answer(hear("act"), index=10**30)
