"""Plays well, with hundreds of nested objects as `info`."""

from prelude import ready, receive, send_bytes

ready()
while True:
    act = receive("act")
    deep = b'{"":' * 900 + b"0" + b"}" * 900
    send_bytes(b'{"type":"action","id":%d,"index":0,"info":%s}\n' % (act["id"], deep))
