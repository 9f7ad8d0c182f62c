"""Writes lines for ever without waiting for `hello`."""

from prelude import raw

while True:
    raw(b'{"type":"ready","protocol":1,"name":"flood"}\n' * 10_000)
