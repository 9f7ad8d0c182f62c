"""Writes a single line of 100 MB."""

from prelude import hear, raw, ready

ready()
hear("act")
for _ in range(1000):
    raw(b"x" * 100_000)
raw(b"\n")
