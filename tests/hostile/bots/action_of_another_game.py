"""Thinks that it plays The Forbidden City."""

from prelude import answer, hear, ready

ready()
answer(hear("act"), action={"x": 1, "y": -2, "rotation": 1})
