"""Speaks JSON in UTF-16."""

from prelude import hear, raw

hear("hello")
raw('{"type":"ready","protocol":1,"name":"wide"}\n'.encode("utf-16-le"))
