"""Takes its time over `ready`, and then plays well."""

import time

from prelude import play, receive, send

receive("hello")
time.sleep(0.3)
send("ready", protocol=1, name="slow")
play()
