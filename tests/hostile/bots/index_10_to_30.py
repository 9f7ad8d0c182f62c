"""Gives 10^30 as its index."""

from prelude import answer, ready, receive

ready()
answer(receive("act"), index=10**30)
