"""Reads `hello` and says nothing, ever."""

from prelude import hear, linger

hear("hello")
linger()
