"""Gives the version of the protocol as a string."""

from prelude import hear, say

hear("hello")
say("ready", protocol="1", name="stringly")
