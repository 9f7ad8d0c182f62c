"""Has a name of a megabyte, and plays well."""

from prelude import play, ready

ready(name="N" * 1_000_000)
play()
