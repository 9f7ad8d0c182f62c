"""Has a list where its name should be, and text for its options."""

from prelude import ready

ready(name=["a", "list"], options="none")
