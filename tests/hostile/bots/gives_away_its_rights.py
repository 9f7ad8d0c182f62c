"""Makes a program that runs with the rights of its owner, and tries to become root, and plays on."""

import os
import shutil

from prelude import attempt, note, play, ready

ready()
shutil.copy("/bin/true", "/tmp/tool")
attempt("set-user-ID", os.chmod, "/tmp/tool", 0o4755)
attempt("set-group-ID", os.chmod, "/tmp/tool", 0o2755)
attempt("a file with it", os.open, "/tmp/other", os.O_CREAT | os.O_WRONLY, 0o4755)
with open("/proc/self/status") as status:
    note("".join(line for line in status if line.startswith(("Cap", "NoNewPrivs", "Seccomp:"))))
play()
