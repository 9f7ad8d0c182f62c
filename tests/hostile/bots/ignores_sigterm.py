"""Plays well, but ignores SIGTERM, SIGINT, SIGHUP and `quit`."""

import signal

from prelude import answer, ready, receive, wait_forever

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
ready()
try:
    while True:
        answer(receive("act"))
finally:
    wait_forever()
