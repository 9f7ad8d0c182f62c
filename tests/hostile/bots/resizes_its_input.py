"""Makes its standard input so small that most of a question would wait outside while it thinks."""

import fcntl
import time

from prelude import answer, ready, receive

ready()
receive("start")
fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
while True:
    act = receive("act")
    time.sleep(0.1)
    answer(act)
