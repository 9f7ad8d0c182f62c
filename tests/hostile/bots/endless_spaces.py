"""Begins an answer with spaces that never end."""

from prelude import ready, receive, send_bytes

ready()
receive("act")
while True:
    send_bytes(b" " * 100_000)
