"""The page about tournaments shows a real tournament: every command and what it prints."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.cli.command import ENVIRONMENT, referee
from tests.cli.on_pty import run_on_terminal
from tests.timeouts import TEST_TIMEOUT
from tournaments.event.store.manifest import decode_manifest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cup")]
plays_it = pytest.mark.ci_only
"""The tournament takes ten seconds."""

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs/tournaments.md"
SHOWN: Final = re.compile(r"<!-- real output of: referee (tournament .*?) -->\n+```text\n(.*?)```", re.DOTALL)
LINES: Final = re.compile(r"<!-- real lines of: referee (tournament .*?) -->\n+```text\n(.*?)```", re.DOTALL)
COLUMNS: Final = 100
"""Of the terminal on which standings are shown."""
MASKS: Final = (
    (r"\x1b\[[0-9;]*m|\r", ""),
    (r"[0-9.]+ (ms|s)\b", "#"),
    (r"\b[0-9a-f]{64}\b", "(hash)"),
    (r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b", "(time)"),
    (r"\nPlayed without a sandbox[^\n]*", ""),
)
"""Text that varies from run to run, and from machine to machine."""
SEED: Final = 'seed = "five minutes"'


class Cup:
    """A folder in which commands are run, and what they printed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._printed: dict[str, str] = {}
        self.told: dict[str, str] = {}
        """The stderr of commands."""

    def printed(self, command: str) -> str:
        """The stdout of a command. Each is run once, those that only show something on a terminal."""
        if command not in self._printed:
            arguments = shlex.split(command)
            if arguments[1] in ("plan", "standings", "pairings"):
                self._printed[command] = run_on_terminal(*arguments, cwd=self.folder, columns=COLUMNS)
            else:
                ended = referee(*arguments, cwd=self.folder)
                assert ended.status == 0, ended.err
                self._printed[command], self.told[command] = ended.out, ended.err
        return self._printed[command]


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Cup:
    """The tournament of the pages: the file as `init` writes it, with a seed, and with time on a busy machine."""
    cup = Cup(tmp_path_factory.mktemp("cup"))
    cup.printed("tournament init cup.toml")
    file = cup.folder / "cup.toml"
    written = file.read_text(encoding="utf-8")
    seeded, count = re.subn(r"^# seed = .*$", SEED, written, flags=re.MULTILINE)
    assert count == 1
    file.write_text(seeded, encoding="utf-8")
    # The plan is that of the file as it is shown; nothing else prints the time per decision.
    cup.printed("tournament plan cup.toml")
    file.write_text(seeded.replace('move = "1s"', 'move = "30s"'), encoding="utf-8")
    cup.printed("tournament run cup.toml")
    return cup


def masked(text: str) -> list[str]:
    """The lines of an output, without what varies."""
    for pattern, replacement in MASKS:
        text = re.sub(pattern, replacement, text)
    return [line.rstrip() for line in text.strip().splitlines()]


def shown() -> dict[str, str]:
    """By command, the output that the page shows."""
    return dict(re.findall(SHOWN, PAGE.read_text(encoding="utf-8")))


@plays_it
@pytest.mark.parametrize("command", shown())
def test_the_page_shows_what_the_command_prints(command: str, cup: Cup) -> None:
    assert masked(shown()[command]) == masked(cup.printed(command))


@pytest.mark.parametrize("page", ["README.md", "docs/tournaments.md"])
def test_a_page_shows_the_way_from_a_file_to_standings(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [
        command for command in ("init", "run", "standings") if f"\nreferee tournament {command} cup" not in text
    ] == []


@plays_it
def test_lines_that_are_shown_of_a_run_are_those_of_a_run(cup: Cup) -> None:
    ((command, lines),) = re.findall(LINES, PAGE.read_text(encoding="utf-8"))
    timed = ("games/", "page cache")  # these lines depend on the time that the run takes
    told = [line for line in masked(cup.told[command]) if not any(word in line for word in timed)]
    expected = masked(lines)
    assert expected == told[told.index(expected[0]) :][: len(expected)]


def shell(script: str, folder: Path) -> str:
    """The output of a shell script, which fails with its first command that fails."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True,
        timeout=TEST_TIMEOUT, check=True,
    )  # fmt: skip
    return done.stdout


@plays_it
def test_the_commitment_and_the_first_head_are_shown_before_the_first_game(cup: Cup) -> None:
    before, found, _ = cup.told["tournament run cup.toml"].partition("round 1 of")
    manifest = decode_manifest((cup.folder / "cup" / "manifest.json").read_bytes(), "cup")
    assert found
    assert manifest.seed_commitment in before
    assert manifest.first_head in before
    assert referee("tournament", "verify", "cup", "--against", manifest.first_head, cwd=cup.folder).status == 0


@plays_it
@pytest.mark.skipif(
    not (shutil.which("jq") and shutil.which("openssl")), reason="the commands of the page need jq and openssl"
)
def test_an_outsider_finds_the_commitment_the_deals_and_the_chain_by_other_programs(cup: Cup) -> None:
    """The commands of the page print pairs of lines that have to be equal."""
    page = (ROOT / "docs/tournament-folder.md").read_text(encoding="utf-8")
    scripts = re.findall(r"^```sh outsider\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    lines = shell("\n".join(scripts), cup.folder).split()
    assert len(lines) == 6
    assert lines[::2] == lines[1::2]
