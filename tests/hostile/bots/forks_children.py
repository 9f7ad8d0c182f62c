"""Plays well, with children that hold its pipes and live on."""

from prelude import fork, play, ready, wait_forever

ready()
for _ in range(5):
    if fork():
        wait_forever()
play()
