"""Says `ready` again in the middle of the game, under another name."""

from prelude import ready, receive, send

ready()
receive("act")
send("ready", protocol=1, name="somebody else")
