"""Writes `ready` one byte at a time, too slowly to be done in time."""

import time

from prelude import hear, raw

hear("hello")
for byte in b'{"type":"ready","protocol":1,"name":"drip"}\n':
    raw(bytes([byte]))
    time.sleep(1)
