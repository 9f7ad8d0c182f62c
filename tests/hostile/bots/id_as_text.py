"""Gives the id of the question as a string."""

from prelude import answer, ready, receive

ready()
answer({"id": str(receive("act")["id"])})
