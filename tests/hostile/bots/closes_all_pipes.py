"""Closes all its pipes and stays, together with a child."""

import os

from prelude import fork, ready, receive, wait_forever

ready()
receive("act")
fork()
os.closerange(0, 3)
wait_forever()
