"""The fields of /proc/PID/stat (proc(5)). The keeper imports this, so it imports nothing."""

STATE, FLAGS, USER_TIME, SYSTEM_TIME, CHILDREN_SYSTEM_TIME, THREADS, START_TIME, RESIDENT_PAGES = (
    number - 3 for number in (3, 9, 14, 15, 17, 20, 22, 24)
)
"""The indices of fields in the result of `read_stat`: their number in proc(5), less three."""
PF_EXITING = 4
"""Flag of a process or thread that is ending."""


def read_stat(place: str) -> list[bytes]:
    """The fields of a process ("42") or thread ("42/task/43") from its state on. Raises OSError."""
    with open(f"/proc/{place}/stat", "rb", buffering=0) as file:  # noqa: PTH123 (it is hot)
        return file.read().rpartition(b")")[2].split()  # the name of the program may have spaces and brackets


def has_ended(fields: list[bytes]) -> bool:
    """Whether a process or thread has ended (but not been reaped yet)."""
    return fields[STATE] in (b"Z", b"X")


def is_ending(fields: list[bytes]) -> bool:
    """Whether a process or thread has ended or is ending."""
    return has_ended(fields) or bool(int(fields[FLAGS]) & PF_EXITING)
