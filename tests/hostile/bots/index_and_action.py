"""Gives an index and an action, to be on the safe side."""

from prelude import answer, hear, ready

ready()
act = hear("act")
answer(act, index=0, action=act["legal"][0])
