"""Gives a version of the protocol that has four thousand digits."""

from prelude import receive, send_bytes

receive("hello")
send_bytes(b'{"type":"ready","protocol":1' + b"0" * 4000 + b',"name":"far future"}\n')
