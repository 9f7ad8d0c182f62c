"""Run a command as on another system: with none of the system calls, /proc, /sys and bubblewrap that only Linux has.

Usage: unshare -m python3 elsewhere.py COMMAND …, as root.
"""

import ctypes
import os
import shutil
import struct
import subprocess
import sys

REFUSED = {
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "clone3": (435, 435),
    "unshare": (272, 97),
    "setns": (308, 268),
    "memfd_create": (319, 279),
    "prctl": (157, 167),
    "waitid": (247, 95),  # macOS has it, and Python has it there since 3.13
}
"""System calls: their numbers on x86-64 and on aarch64."""
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06  # of classic BPF: operation, lines to skip if true, and if false, operand
ALLOW, ENOSYS = 0x7FFF0000, 0x00050026


def main(command: list[str]) -> None:
    for folder in ("/proc", "/sys"):
        subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)
    if bwrap := shutil.which("bwrap"):
        subprocess.run(["mount", "--bind", "/dev/null", bwrap], check=True)
    machine = ("x86_64", "aarch64").index(os.uname().machine)
    numbers = [each[machine] for each in REFUSED.values()]
    compare = [(EQUAL, len(numbers) - index, 0, number) for index, number in enumerate(numbers)]
    lines = [(LOAD, 0, 0, 0), *compare, (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, ENOSYS)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
    pointer = ctypes.create_string_buffer(struct.pack("HP", len(lines), ctypes.addressof(program)))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    if prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(pointer), 0, 0) != 0:
        sys.exit(f"seccomp: {os.strerror(ctypes.get_errno())}")
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
