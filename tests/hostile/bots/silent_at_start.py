"""Reads `hello` and says nothing, ever."""

from prelude import receive, wait_forever

receive("hello")
wait_forever()
