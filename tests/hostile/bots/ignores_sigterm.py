"""Plays well, but ignores SIGTERM, SIGINT, SIGHUP and `quit`."""

import signal

from prelude import answer, hear, linger, ready

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
ready()
try:
    while True:
        answer(hear("act"))
finally:
    linger()
