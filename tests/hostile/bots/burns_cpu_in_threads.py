"""Plays well, with eight threads that compute in vain at all times."""

import hashlib
import threading

from prelude import play, ready


def burn() -> None:
    """Hash for ever; the interpreter lets other threads run meanwhile."""
    block = b"x" * 1_000_000
    while True:
        hashlib.sha256(block)


ready()
for _ in range(8):
    threading.Thread(target=burn, daemon=True).start()
play()
