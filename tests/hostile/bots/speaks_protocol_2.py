"""Speaks another version of the protocol."""

from prelude import receive, send

receive("hello")
send("ready", protocol=2, name="from the future")
