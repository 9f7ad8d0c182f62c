"""Begins its output with a byte order mark."""

from prelude import hear, raw

hear("hello")
raw(b'\xef\xbb\xbf{"type":"ready","protocol":1,"name":"from Windows"}\n')
