"""Closes all its pipes and stays, together with a child."""

import os

from prelude import fork, hear, linger, ready

ready()
hear("act")
fork()
os.closerange(0, 3)
linger()
