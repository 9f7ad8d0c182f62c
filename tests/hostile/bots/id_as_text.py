"""Gives the id of the question as a string."""

from prelude import answer, hear, ready

ready()
answer({"id": str(hear("act")["id"])})
