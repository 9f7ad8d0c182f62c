"""Forgets a debug print on standard output."""

from prelude import ready, receive

ready()
receive("act")
print("evaluating 3 moves ...", flush=True)
