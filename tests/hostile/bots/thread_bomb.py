"""Starts threads until there are 1500, or no more to be had."""

import sys
import threading

from prelude import ready, receive, wait_forever

ready()
receive("act")
threading.stack_size(64 * 1024)
for _ in range(1500):
    try:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    except RuntimeError:
        sys.exit(9)
wait_forever()
