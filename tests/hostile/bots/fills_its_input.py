"""Fills its own standard input, so that a question finds half of its room: it thinks before it reads the rest."""

import array
import fcntl
import os
import termios
import time

from prelude import answer, receive, send

receive("hello")
os.write(os.open("/proc/self/fd/0", os.O_WRONLY), b" " * 14 * 4096)
send("ready", protocol=1, name="hostile")
waiting = array.array("i", [0])
while waiting[0] < 15 * 4096:  # until the question has begun
    fcntl.ioctl(0, termios.FIONREAD, waiting)
    time.sleep(0.01)
time.sleep(1.3)
act = receive("act")
time.sleep(1.3)
answer(act)
