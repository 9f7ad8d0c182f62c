"""Begins its output with a byte order mark."""

from prelude import receive, send_bytes

receive("hello")
send_bytes(b'\xef\xbb\xbf{"type":"ready","protocol":1,"name":"from Windows"}\n')
