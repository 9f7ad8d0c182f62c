"""Gives every field twice, first a wrong value and then the right one."""

from prelude import hear, raw, ready

ready()
while True:
    act = hear("act")
    raw(b'{"type":"action","id":0,"id":%d,"index":-1,"index":0}\n' % act["id"])
