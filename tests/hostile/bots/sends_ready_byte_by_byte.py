"""Writes `ready` one byte at a time, too slowly to be done in time."""

import time

from prelude import receive, send_bytes

receive("hello")
for byte in b'{"type":"ready","protocol":1,"name":"drip"}\n':
    send_bytes(bytes([byte]))
    time.sleep(1)
