"""Gives the version of the protocol as a string."""

from prelude import receive, send

receive("hello")
send("ready", protocol="1", name="stringly")
