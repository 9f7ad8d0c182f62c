"""Makes the folders beside it, with the referee of commit 4bb396e: tournaments of each format, finished and interrupted.

    git worktree add /tmp/4bb396e 4bb396e && cd /tmp/4bb396e && make setup
    .venv/bin/python PATH/TO/make.py

They are kept as they were written, but for the name of the host and the path of the bots, which is `@BOTS@`. Beside
each folder stands what its `standings`, `games` and `pairings` print with `--json`.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import trio

from tournaments.interruption import Interruption
from tournaments.observer import Observer
from tournaments.progress import Progress, StoredGame
from tournaments.tournament import add_bot, replay_game, resume_tournament, run_tournament, withdraw_bot

HERE: Final = Path(__file__).parent
FILES: Final = {
    "round_robin": (5, 9, 'game = "forbidden_city"\nseats = 2\n[round_robin]'),
    "swiss": (6, 8, 'game = "year_of_the_dragon"\nseats = 2\n[swiss]\nrounds = 4'),
    "swiss_tables": (7, 17, 'game = "forbidden_city"\nseats = 3\n[swiss]\nrounds = 4'),
    "gauntlet": (5, 5, 'game = "forbidden_city"\nseats = 2\n[gauntlet]\nchallengers = ["seeded"]\nrounds = 2'),
    "knockout": (6, 11, 'game = "forbidden_city"\nseats = 2\n[knockout]\nthird_place = true'),
    "ladder": (4, 13, 'game = "forbidden_city"\nseats = 2\n[ladder]\nbudget = 24'),
    "sprt": (2, 9, 'game = "forbidden_city"\nseats = 2\n[sprt]\ncandidate = "seeded"\nbaseline = "b"\n'
             'batch = 3\nmax_games = 24'),
}  # fmt: skip
"""By name of the folder: how many bots, the game after which it is interrupted, and the file's own lines."""
BOTS: Final = "bcdefgh"


def main() -> None:
    """Write everything."""
    for name, (size, after, settings) in FILES.items():
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            file = folder / "cup.toml"
            file.write_text(text(name, size, settings))
            trio.run(play, file, folder / "finished", None)
            trio.run(play, file, folder / "interrupted", after)
            if name == "swiss_tables":
                trio.run(with_events, file, folder / "events")
            for state in ("finished", "interrupted", "events"):
                if (folder / state).exists():
                    keep(folder / state, HERE / name / state)


def text(name: str, size: int, settings: str) -> str:
    """A tournament file: one bot that is a process, the others built in."""
    game, seats, *rest = settings.splitlines()
    format_ = name.partition("_tables")[0]
    bots = "".join(
        f'[[bot]]\nbuiltin = "{"first" if bot == "c" else "random"}"\nname = "{bot}"\n' for bot in BOTS[: size - 1]
    )
    return (
        f'name = "Golden"\nformat = "{format_}"\n{game}\n{seats}\nseed = "golden"\n'
        + "\n".join(rest)
        + '\n[clock]\nmove = "30s"\nstartup = "60s"\n[run]\nconcurrency = 1\nsandbox = "none"\n'
        + f'[[bot]]\npath = "{HERE / "seeded"}"\n{bots}'
    )


class InterruptAfter(Observer):
    """Ends a tournament in the middle of a round."""

    def __init__(self, interruption: Interruption, games: int | None) -> None:
        self._interruption = interruption
        self._left = games

    def game_finished(self, game: StoredGame, faults: list[str | None], progress: Progress) -> None:
        if self._left is not None:
            self._left -= 1
            if not self._left:
                assert progress.current is not None
                assert 0 < len(progress.current.played) < len(progress.current.planned)
                self._interruption.request()


async def play(file: Path, out: Path, after: int | None) -> None:
    """Run a tournament to its end, or until some games are over."""
    interruption = Interruption()
    with interruption.scope():
        await run_tournament(file, out, InterruptAfter(interruption, after), interruption)


async def with_events(file: Path, out: Path) -> None:
    """Play it with a late entry, a withdrawal and two replays."""
    await play(file, out, 17)
    await act(add_bot, out, "late=builtin:random", "somebody")
    await act(withdraw_bot, out, "d", "its author asked for it")
    await act(resume_tournament, out)
    await act(replay_game, out, "r01-t003-d01-s1", "the machine was busy")
    await act(replay_game, out, "r04-t001-d07-s1", "the machine was busy")


async def act(what, *arguments) -> None:  # noqa: ANN001, ANN002
    """Call a function of the service."""
    interruption = Interruption()
    with interruption.scope():
        await what(*arguments, Observer(), interruption)


def keep(out: Path, to: Path) -> None:
    """Copy a folder here, with what the commands say of it."""
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    for command in ("standings", "games", "pairings"):
        printed = subprocess.run(
            [sys.executable, "-m", "referee", "tournament", command, out, "--json"], check=True, capture_output=True
        ).stdout
        (to / f"{command}.json").write_text(json.dumps(json.loads(printed), indent=1, sort_keys=True) + "\n")
    shutil.copytree(out, to / "folder")
    manifest = json.loads((to / "folder" / "manifest.json").read_text())
    for session in manifest["sessions"]:
        session["host"] = "host"
    (to / "folder" / "manifest.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    for file in ("manifest.json", "tournament.toml"):
        path = to / "folder" / file
        path.write_text(path.read_text().replace(str(HERE), "@BOTS@").replace(str(out.parent), "@BOTS@"))


if __name__ == "__main__":
    main()
