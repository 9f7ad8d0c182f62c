"""Speaks JSON in UTF-16."""

from prelude import receive, send_bytes

receive("hello")
send_bytes('{"type":"ready","protocol":1,"name":"wide"}\n'.encode("utf-16-le"))
