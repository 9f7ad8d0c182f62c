"""`make crash`: kill the referee with SIGKILL at random moments of real tournaments of every format, and resume."""

import argparse
import sys
import tempfile
from pathlib import Path
from random import Random

from tests.crash.crashing import crash, undisturbed, write_tournament
from tournaments.competition.formats.registry import FORMATS


def main() -> int:
    """1 if anything was lost, counted twice, or left running."""
    parser = argparse.ArgumentParser(prog="make crash")
    parser.add_argument("--kills", type=int, default=200, help="kills in all")
    parser.add_argument("--seed", default="crash", help="of the moments")
    parser.add_argument("formats", nargs="*", default=list(FORMATS))
    arguments = parser.parse_args()
    random = Random(arguments.seed)
    each = -(-arguments.kills // len(arguments.formats))
    failed = False
    sys.stdout.write("format       kills  with some games  games  seconds undisturbed\n")
    for format_ in arguments.formats:
        with tempfile.TemporaryDirectory() as temporary:
            file = write_tournament(Path(temporary, format_), format_)
            expected, seconds = undisturbed(file, Path(temporary, "undisturbed"))
            kills = with_games = number = 0
            problems: list[str] = []
            while kills < each:
                number += 1
                out = Path(temporary, f"out{number}")
                done = crash(file, out, expected, seconds, min(random.randint(1, 4), each - kills), random)
                kills, with_games = kills + done.kills, with_games + done.with_games
                problems += done.problems
            sys.stdout.write(f"{format_:12} {kills:5} {with_games:16} {len(expected.games):6} {seconds:20.1f}\n")
            sys.stdout.writelines(f"  WRONG: {problem}\n" for problem in problems)
            sys.stdout.flush()
            failed = failed or bool(problems)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
