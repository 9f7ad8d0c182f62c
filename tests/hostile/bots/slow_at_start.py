"""Takes its time over `ready`, and then plays well."""

import time

from prelude import hear, play, say

hear("hello")
time.sleep(0.3)
say("ready", protocol=1, name="slow")
play()
