"""Has escape sequences of terminals in its name, version, `info`, standard error and last, wrong answer."""

import sys

from prelude import answer, ready, receive

ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\x9d0;owned\x9c\x7f\b\r\u202egnp.exe\u2028"

ready(name=f"hostile{ESCAPES}", version=f"1{ESCAPES}", author=ESCAPES)
sys.stderr.write(f"log {ESCAPES}\n")
sys.stderr.flush()
answer(receive("act"), index=0, info=ESCAPES)
answer(receive("act"), action={ESCAPES: ESCAPES})
