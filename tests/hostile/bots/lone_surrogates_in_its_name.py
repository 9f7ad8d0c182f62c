"""Has half a surrogate pair in its name."""

from prelude import ready

ready(name="\ud83c")
