"""Allocates and fills memory until it has 3 GiB."""

from prelude import ready, receive, wait_forever

ready()
receive("act")
block = [b"x" * (8 << 20) for _ in range(384)]
wait_forever()
