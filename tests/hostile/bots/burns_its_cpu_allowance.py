"""Computes in vain instead of thinking, beyond the processor time that it may use."""

from prelude import hear, ready

ready()
hear("act")
while True:
    pass
