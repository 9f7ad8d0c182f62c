"""Closes its standard error, and plays well."""

import os

from prelude import play, ready

ready()
os.close(2)
play()
