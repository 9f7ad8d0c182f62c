"""Shows all its environment variables, and plays well."""

import os

from prelude import note, play, ready

ready()
for name, value in os.environ.items():
    note(f"{name}={value}")
play()
