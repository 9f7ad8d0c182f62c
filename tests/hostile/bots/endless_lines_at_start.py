"""Writes lines for ever without waiting for `hello`."""

from prelude import send_bytes

while True:
    send_bytes(b'{"type":"ready","protocol":1,"name":"flood"}\n' * 10_000)
