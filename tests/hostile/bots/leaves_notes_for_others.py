"""Locks, leases, watches and marks files of the system, for another of its processes to find, and plays on."""

import ctypes
import fcntl
import os
import struct

from prelude import attempt, note, play, ready

F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ, F_SET_RW_HINT = 1024, 1026, 1031, 1036

ready()
file, again = (os.open("/usr/bin/env", os.O_RDONLY) for _ in range(2))
fcntl.flock(file, fcntl.LOCK_EX)
try:
    fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)
    note("the lock had no effect")
except OSError:
    note("the lock: done")
attempt("a lease", fcntl.fcntl, file, F_SETLEASE, fcntl.F_RDLCK)
attempt("a notification", fcntl.fcntl, file, F_NOTIFY, 1)
attempt("a hint", fcntl.fcntl, file, F_SET_RW_HINT, struct.pack("Q", 2))
attempt("a smaller pipe", fcntl.fcntl, 0, F_SETPIPE_SZ, 4096)
libc = ctypes.CDLL(None)
for name in ("inotify_init", "fanotify_init"):
    note(f"{name}: {'refused' if getattr(libc, name)(0, 0) == -1 else 'done'}")
keyctl = 219 if os.uname().machine == "aarch64" else 250
note(f"a key: {'refused' if libc.syscall(keyctl, 0, -3, 1) == -1 else ': done'}")
play()
