"""Allocates and fills memory until it has 3 GiB."""

from prelude import hear, linger, ready

ready()
hear("act")
hoard = [b"x" * (8 << 20) for _ in range(384)]
linger()
