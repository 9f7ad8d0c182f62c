"""Writes well-formed answers to an old question for ever, as fast as it can."""

from prelude import hear, raw, ready

ready()
hear("act")
while True:
    raw(b'{"type":"action","id":0,"index":0}\n' * 10_000)
