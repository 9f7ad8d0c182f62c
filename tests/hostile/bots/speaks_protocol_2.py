"""Speaks another version of the protocol."""

from prelude import hear, say

hear("hello")
say("ready", protocol=2, name="from the future")
