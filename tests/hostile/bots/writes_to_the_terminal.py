"""Opens the terminal itself to clear the screen, and plays on."""

from prelude import attempt, play, ready


def clear() -> int:
    """Write past all redirections."""
    with open("/dev/tty", "wb", buffering=0) as terminal:
        return terminal.write(b"\x1b[2J")


ready()
attempt("clearing the screen", clear)
play()
