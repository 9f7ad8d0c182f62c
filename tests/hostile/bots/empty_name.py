"""Has an empty name, and plays well."""

from prelude import play, ready

ready(name="")
play()
