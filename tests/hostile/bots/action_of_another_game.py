"""Thinks that it plays The Forbidden City."""

from prelude import answer, ready, receive

ready()
answer(receive("act"), action={"x": 1, "y": -2, "rotation": 1})
