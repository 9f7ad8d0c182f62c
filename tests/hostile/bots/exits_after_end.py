"""Plays well, and exits at `end` although its process could play on."""

import sys

from prelude import answer, messages, ready

ready()
for message in messages():
    if message["type"] == "act":
        answer(message)
    elif message["type"] == "end":
        sys.exit(6)
