"""Plays well, with children that hold its pipes and live on."""

from prelude import fork, linger, play, ready

ready()
for _ in range(5):
    if fork():
        linger()
play()
