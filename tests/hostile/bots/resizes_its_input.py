"""Makes its standard input so small that most of a question would wait outside while it thinks."""

import fcntl
import time

from prelude import answer, ready, receive

fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)  # later there may be too much in it
ready()
receive("start")
while True:
    act = receive("act")
    time.sleep(0.1)
    answer(act)
