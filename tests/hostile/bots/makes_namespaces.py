"""Makes a user namespace in which it is root and mounts a file system of its own, and plays on."""

import ctypes
import os

from prelude import note, play, ready

CLONE_NEWUSER, CLONE_NEWNS = 0x10000000, 0x00020000

ready()
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(CLONE_NEWUSER | CLONE_NEWNS):
    note(f"refused: {os.strerror(ctypes.get_errno())}")
elif libc.mount(b"none", b"/tmp", b"tmpfs", 0, None):
    note(f"a namespace, but no file system: {os.strerror(ctypes.get_errno())}")
else:
    note("mounted a file system")
play()
