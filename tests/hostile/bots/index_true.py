"""Gives `true` as its index."""

from prelude import answer, ready, receive

ready()
answer(receive("act"), index=True)
