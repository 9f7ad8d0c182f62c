"""Plays well: what the others are measured against, and who plays against them."""

from prelude import play, ready

ready(name="opponent")
play()
