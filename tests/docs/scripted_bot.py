"""A bot that answers `hello` and then each `act` with the next line of a script, and logs every line both ways.

Usage: scripted_bot.py SCRIPT LOG. At the end of the script it takes the first legal action.
"""

import json
import sys
from pathlib import Path


def main(script: Path, log: Path) -> None:
    """Answer line by line. In the log, `-> ` marks lines to the bot and `<- ` lines from it."""
    answers = iter(script.read_text(encoding="utf-8").splitlines())
    with log.open("w", encoding="utf-8") as transcript:
        for line in sys.stdin:
            transcript.write(f"-> {line}")
            message = json.loads(line)
            if message["type"] == "hello":
                answer = next(answers)
            elif message["type"] == "act":
                answer = next(answers, json.dumps({"type": "action", "id": message["id"], "index": 0}))
            else:
                continue
            transcript.write(f"<- {answer}\n")
            sys.stdout.write(f"{answer}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
