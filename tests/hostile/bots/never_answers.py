"""Takes every question and answers none."""

from prelude import messages, ready

ready()
for _message in messages():
    pass
