"""A bot that commits the fault named in its argument: `version` at once, the others at its first `act`."""

import json
import sys
import time


def main(fault: str) -> None:
    """Answer `hello`, then fail."""
    for line in sys.stdin:
        match json.loads(line)["type"], fault:
            case "hello", _:
                ready = {"type": "ready", "protocol": 2 if fault == "version" else 1, "name": fault}
                sys.stdout.write(json.dumps(ready) + "\n")
            case "act", "crash":
                raise ZeroDivisionError("as asked for")
            case "act", "oversize":
                sys.stdout.write("x" * 1_100_000)
            case "act", "timeout":
                time.sleep(60)
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
