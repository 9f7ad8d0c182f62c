"""Plays well, with nearly a megabyte of `info` beside each answer."""

from prelude import answer, ready, receive

ready()
while True:
    answer(receive("act"), index=0, info="\N{SNOWMAN}" * 170_000)
