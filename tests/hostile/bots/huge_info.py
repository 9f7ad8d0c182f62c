"""Plays well, with nearly a megabyte of `info` beside each answer."""

from prelude import answer, hear, ready

ready()
while True:
    answer(hear("act"), index=0, info="\N{SNOWMAN}" * 170_000)
