"""Gives an index and an action, to be on the safe side."""

from prelude import answer, ready, receive

ready()
act = receive("act")
answer(act, index=0, action=act["legal"][0])
