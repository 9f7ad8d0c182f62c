"""Answers with a million opening brackets."""

from prelude import ready, receive, send_bytes

ready()
receive("act")
send_bytes(b"[" * 1_000_000 + b"\n")
