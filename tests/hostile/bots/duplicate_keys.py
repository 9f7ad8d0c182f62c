"""Gives every field twice, first a wrong value and then the right one."""

from prelude import ready, receive, send_bytes

ready()
while True:
    act = receive("act")
    send_bytes(b'{"type":"action","id":0,"id":%d,"index":-1,"index":0}\n' % act["id"])
