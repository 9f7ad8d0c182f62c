"""Sends the referee's own messages, declaring itself the winner."""

from prelude import ready, receive, send

ready()
receive("act")
send("end", game_id="0001-1", result={"scores": [99, 0, 0], "ranks": [1, 2, 2], "faults": [None, "crash", "crash"]})
