"""Fills its own standard input before it answers its last question, so that the end of the game finds no room."""

import os

from prelude import answer, messages, ready, wait_forever

ready()
for message in messages():
    if message["type"] == "act":
        if message["observation"]["heap"] > 4:
            answer(message)
            continue
        own_input = os.open("/proc/self/fd/0", os.O_WRONLY)
        os.write(own_input, b" " * 65536)
        answer(message)
        wait_forever()
