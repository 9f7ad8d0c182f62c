"""The pictures at the top of the README: a position of each game, by `make pictures`. The same each time."""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "docs" / "pictures"
POSITIONS: Final = {"year_of_the_dragon": 88, "forbidden_city": 62}
"""By game, the number of the position."""
BOTS: Final = ("bots/mason-python", "bots/steady-python", "builtin:random")


def main() -> None:
    """Play a game of each with a fixed seed, and draw the position."""
    referee = Path(sys.executable).with_name("referee")
    FOLDER.mkdir(exist_ok=True)
    for game, position in POSITIONS.items():
        with tempfile.TemporaryDirectory() as folder:
            records = Path(folder) / "records"
            play = ["match", *BOTS, "--game", game, "--games", "1", "--no-rotate", "--seed", "a picture"]
            subprocess.run([referee, *play, "--record", records], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            record, picture = str(records / "0001-1.jsonl"), str(FOLDER / f"{game}.svg")
            subprocess.run([referee, "record", "view", record, "--svg", f"#{position}", "-o", picture], check=True)


if __name__ == "__main__":
    main()
