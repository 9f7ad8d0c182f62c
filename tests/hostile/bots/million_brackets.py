"""Answers with a million opening brackets."""

from prelude import hear, raw, ready

ready()
hear("act")
raw(b"[" * 1_000_000 + b"\n")
