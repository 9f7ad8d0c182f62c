"""Plays well, with hundreds of nested objects as `info`."""

from prelude import hear, raw, ready

ready()
while True:
    act = hear("act")
    deep = b'{"":' * 900 + b"0" + b"}" * 900
    raw(b'{"type":"action","id":%d,"index":0,"info":%s}\n' % (act["id"], deep))
