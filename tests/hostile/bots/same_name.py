"""Calls itself like everybody else here, and plays well."""

from prelude import play, ready

ready(name="neighbour")
play()
