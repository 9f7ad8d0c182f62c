"""Says `ready` again in the middle of the game, under another name."""

from prelude import hear, ready, say

ready()
hear("act")
say("ready", protocol=1, name="somebody else")
