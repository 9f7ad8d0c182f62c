"""Gives a version of the protocol that has four thousand digits."""

from prelude import hear, raw

hear("hello")
raw(b'{"type":"ready","protocol":1' + b"0" * 4000 + b',"name":"far future"}\n')
