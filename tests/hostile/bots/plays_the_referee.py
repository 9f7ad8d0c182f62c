"""Sends the referee's own messages, declaring itself the winner."""

from prelude import hear, ready, say

ready()
hear("act")
say("end", game_id="0001-1", result={"scores": [99, 0, 0], "ranks": [1, 2, 2], "faults": [None, "crash", "crash"]})
