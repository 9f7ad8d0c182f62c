"""Closes its standard output and stays."""

import os

from prelude import ready, receive, wait_forever

ready()
receive("act")
os.close(1)
wait_forever()
