"""Writes nothing but line ends, for ever."""

from prelude import raw, ready

ready()
while True:
    raw(b"\n" * 100_000)
