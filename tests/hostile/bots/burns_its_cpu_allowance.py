"""Computes in vain instead of thinking, beyond the processor time that it may use."""

from prelude import ready, receive

ready()
receive("act")
while True:
    pass
