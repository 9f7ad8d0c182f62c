"""A bot that answers `hello` and then each `act` with the next line of a script, and keeps all that was said.

Usage: scripted_bot.py SCRIPT LOG. When the script is at its end, the first legal action is taken.
"""

import json
import sys
from pathlib import Path


def main(script: Path, log: Path) -> None:
    """Answer line by line; the log holds `-> ` and `<- ` lines as they went over the wire."""
    answers = iter(script.read_text(encoding="utf-8").splitlines())
    with log.open("w", encoding="utf-8") as kept:
        for line in sys.stdin:
            kept.write(f"-> {line}")
            message = json.loads(line)
            if message["type"] == "hello":
                answer = next(answers)
            elif message["type"] == "act":
                answer = next(answers, json.dumps({"type": "action", "id": message["id"], "index": 0}))
            else:
                continue
            kept.write(f"<- {answer}\n")
            sys.stdout.write(f"{answer}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
