"""Writes a single line of 100 MB."""

from prelude import ready, receive, send_bytes

ready()
receive("act")
for _ in range(1000):
    send_bytes(b"x" * 100_000)
send_bytes(b"\n")
