"""Has sequences that a terminal obeys in its name, version, `info`, standard error and last, wrong answer."""

import sys

from prelude import answer, hear, ready

TRICKS = "\x1b[2J\x1b]0;owned\x07\x9b31m\x9d0;owned\x9c\x7f\b\r\u202egnp.exe\u2028"

ready(name=f"evil{TRICKS}", version=f"1{TRICKS}", author=TRICKS)
sys.stderr.write(f"log {TRICKS}\n")
sys.stderr.flush()
answer(hear("act"), index=0, info=TRICKS)
answer(hear("act"), action={TRICKS: TRICKS})
