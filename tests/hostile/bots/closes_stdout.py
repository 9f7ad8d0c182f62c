"""Closes its standard output and stays."""

import os

from prelude import hear, linger, ready

ready()
hear("act")
os.close(1)
linger()
