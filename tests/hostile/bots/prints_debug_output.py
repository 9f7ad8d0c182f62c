"""Forgets a debug print on standard output."""

from prelude import hear, ready

ready()
hear("act")
print("evaluating 3 moves ...", flush=True)
