"""Begins an answer with spaces that never end."""

from prelude import hear, raw, ready

ready()
hear("act")
while True:
    raw(b" " * 100_000)
