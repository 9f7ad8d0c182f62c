"""Has the same name as its opponent, and plays well."""

from prelude import play, ready

ready(name="opponent")
play()
