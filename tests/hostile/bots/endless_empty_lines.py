"""Writes nothing but line ends, for ever."""

from prelude import ready, send_bytes

ready()
while True:
    send_bytes(b"\n" * 100_000)
