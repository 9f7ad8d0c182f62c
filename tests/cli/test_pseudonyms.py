"""What is published of bots with pseudonyms: nothing that tells who entered what, of a tournament and of a season."""

import base64
import gzip
import hashlib
import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from tests.cli.bots import BOT, QUICK_START, make_bot
from tests.cli.command import assert_error, referee
from tests.cli.test_season import SEASON, events, feedback, play, season
from tests.cli.test_tournament_archive import ok
from tournaments.event.store.private import PrivateFacts
from tournaments.play.archives import files_hash
from tournaments.play.events import LineRecorded, LiveEvent

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pebbles_known", "short_search")]

SAYS: Final = (
    BOT.replace('"a bot", "version": "1.0"', '"Realname", "version": "Realname", "author": "Realname"')
    .replace("import json", "import sys\nprint('Realname', file=sys.stderr)\nimport json")
    .replace('message["legal"]))}', 'message["legal"])), "info": {"said": "Realname"}}')
)
"""Says who it is wherever it can."""
CRASHES: Final = SAYS.replace("rng = ", "second = message['seat']; rng = ").replace(
    "answer = ", "answer = second and roberta or "
)
"""In seat 1."""
ENTRANTS: Final = ("alice", "roberta", "carol")
FILE: Final = """
format = "swiss"
game = "pebbles"
pseudonyms = true
[swiss]
rounds = 2
[clock]
move = "30s"
startup = "30s"
[run]
sandbox = "none"
show = ["given"]
on_round = "./pause.sh"
"""
PAUSE: Final = """#!/bin/sh
[ -e paused ] || { mkdir "$1/requests" && echo '{"request":"pause"}' >"$1/requests/1-1.json" && touch paused; }
"""
"""After the first round."""


def entrant(folder: Path, name: str) -> Path:
    toml = f'name = "Realname"\nbuild = "echo {name} Realname"\n{QUICK_START}'
    return make_bot(folder / name, f"# {name}\n{CRASHES if name == 'roberta' else SAYS}", toml)


def told(*places: Path) -> dict[str, str]:
    """By file, all that is in these files and folders, also what is packed in them."""
    found = {}
    for place in places:
        for path in [place, *place.rglob("*")]:
            if path.is_file():
                data = path.read_bytes()
                found[str(path)] = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    for packed in re.findall(r"H4sI[A-Za-z0-9+/=]{50,}", "\n".join(found.values())):
        found[packed[:30]] = gzip.decompress(base64.b64decode(packed)).decode()
    return found


def guesses(words: Iterable[str], bots: Iterable[Path]) -> list[str]:
    """What somebody could look for who guesses these words, or has these files."""
    words = list(words)
    hashes = [kind(word.encode()).hexdigest() for word in words for kind in (hashlib.sha256, hashlib.sha1, hashlib.md5)]
    for bot in bots:
        files = [path.read_bytes() for path in bot.iterdir() if path.is_file()]
        hashes += [files_hash(bot), *(hashlib.sha256(content).hexdigest() for content in files)]
    return [*words, *(digest[:8] for digest in hashes)]


def leaks(texts: dict[str, str], secrets: Iterable[str]) -> list[tuple[str, str]]:
    return [(where, secret) for where, text in texts.items() for secret in secrets if secret in text]


def copy_published(folder: Path, public: Path) -> None:
    """Copy what docs/tournament-folder.md calls publishable where bots have pseudonyms."""
    public.mkdir(parents=True)
    shutil.copytree(folder / "records", public / "records")
    for name in ("manifest.json", "hosts", "builds", "openings", "begun"):
        if (folder / name).is_file():
            shutil.copy(folder / name, public)


def accept_and_be_killed(cup: Path) -> None:
    """As if the referee were killed once it had accepted changed files, before it wrote that to private.json."""
    private = (cup / "private.json").read_text()
    ok(referee("tournament", "resume", cup, "--accept-changed-bots"))
    (cup / "private.json").write_text(private)


@pytest.mark.ci_only
def test_a_tournament_with_a_late_entry_changed_files_and_an_extension(tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    (tmp_path / "pause.sh").write_text(PAUSE)
    (tmp_path / "pause.sh").chmod(0o755)
    names = (*ENTRANTS, "latecomer", "addition")
    bots = {name: entrant(tmp_path, name) for name in names}
    file, cup, site = tmp_path / "cup.toml", tmp_path / "cup", tmp_path / "site"
    tables = [
        f'[[bot]]\nname = "Bot {n}"\npath = "{name}"\nowner = "Prof. {name}"\nenv = {{ {name.upper()}_KEY = "x" }}\n'
        for n, name in enumerate(ENTRANTS, 1)
    ]
    file.write_text(FILE + "".join(tables).replace('name = "Bot 3"\n', ""))
    assert_error(referee("tournament", "run", file), 2, "with pseudonyms a [[bot]] needs a name")
    file.write_text(FILE + "".join(tables))
    assert referee("tournament", "run", file).status == 0
    assert referee("tournament", "status", cup, "--json").json["state"] != "finished"
    assert_error(referee("tournament", "add", cup, bots["latecomer"]), 2, "give this one too: NAME=")
    ok(referee("tournament", "add", cup, f"Bot 4={bots['latecomer']}", "--owner", "Prof. alice"))
    secrets = guesses([*names, "Realname", "Prof.", "bot.py", str(tmp_path)], bots.values())
    (bots["carol"] / "bot.py").write_text(f"{SAYS}# carol again\n")
    assert "files of Bot 3 have changed" in referee("tournament", "resume", cup).err
    accept_and_be_killed(cup)
    ok(referee("tournament", "resume", cup))
    ok(referee("tournament", "replay", cup, "r01-t001-d01-s1", "--reason", "the power failed"))
    ok(referee("tournament", "extend", cup, f"Bot 5={bots['addition']}", "--rounds", "1"))
    before = ok(referee("tournament", "verify", cup, "--json")).json
    assert (before["ok"], before["extensions"]) == (True, 1)

    ok(referee("tournament", "report", cup, "-o", site))
    assert_error(referee("tournament", "report", cup, "-o", tmp_path / "no", "--replays", "all"), 1, "use public")
    public = tmp_path / "public/cup"
    copy_published(cup, public)
    copy_published(next((cup / "extensions").iterdir()), public / "extensions/0123456789abcdef")
    for words in ("standings", "games", "pairings", "verify"):
        (site / words).write_text(ok(referee("tournament", words, "cup", "--json", cwd=public.parent)).out)
    (site / "trf").write_text(ok(referee("tournament", "export", "cup", "--trf", "-", cwd=public.parent)).out)
    (site / "ratings").write_text(ok(referee("ratings", "cup", "--json", cwd=public.parent)).out)
    ok(referee("record", "export", "cup/records", "--csv", "-o", site / "records.csv", cwd=public.parent))
    texts = told(public, site)
    assert any("not published" in text for text in texts.values()), "roberta crashed"
    secrets += guesses([f"Prof. {name}" for name in ENTRANTS] + list(map(str, bots.values())), bots.values())
    assert leaks(texts, secrets) == []
    owners = [bot["owner"] for bot in json.loads((public / "manifest.json").read_text())["bots"]]
    assert (len(owners), len(set(owners)), owners[0]) == (4, 3, owners[3])

    alone = ok(referee("tournament", "verify", public, "--json")).json
    assert (alone["ok"], alone["head"]) == (True, before["head"])
    assert any("who plays under which name is not public" in line for line in alone["unchecked"])
    # Once pseudonyms are revealed it is seen whether these were the bots.
    shutil.copy(cup / "private.json", public)
    ok(referee("tournament", "verify", public))
    private = json.loads((public / "private.json").read_text())
    assert private["bots"]["Bot 1"]["folder"] == str(bots["alice"])
    private["bots"]["Bot 1"]["folder"] = str(bots["carol"])
    (public / "private.json").write_text(json.dumps(private))
    found = referee("tournament", "verify", public)
    assert found.status == 1
    assert 'private.json: what it says of "Bot 1" is not what is sealed' in found.out


@pytest.mark.ci_only
def test_a_season(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.season.play.PSEUDONYMS", " ".join([*ENTRANTS, "Otter", "Heron", "Grebe"]))
    folder = season(tmp_path / "course", text='anonymous = true\nreplays = "public"\n' + SEASON)
    bots = [entrant(folder / "entrants", name) for name in ENTRANTS]
    play(folder, 26)
    state = json.loads((folder / "season.json").read_text())["entrants"]
    names = {name: own["shown"] for name, own in state.items()}
    assert sorted(names.values()) == ["Grebe", "Heron", "Otter"], "nobody has the name of another entrant"
    for event in events(folder):
        copy_published(folder / "events" / event, folder / "site/published" / event)
        order = [bot["name"] for bot in json.loads((folder / "events" / event / "manifest.json").read_text())["bots"]]
        assert order[1:] == sorted(order[1:]), "that of the folders would tell who is who"
        alone = ok(referee("tournament", "verify", folder / "site/published" / event, "--json")).json
        assert alone["head"] == ok(referee("tournament", "verify", folder / "events" / event, "--json")).json["head"]
    texts = told(folder / "site")
    assert any(page.startswith("H4sI") for page in texts), "there are replays"
    hashes = [v[kind] for own in state.values() for v in own["versions"] for kind in ("sha256", "files_sha256")]
    secrets = guesses([*ENTRANTS, "Realname", "bot.py", str(tmp_path)], bots) + [digest[:8] for digest in hashes]
    assert leaks(texts, secrets) == []
    home = (folder / "site/index.html").read_text()
    assert [home.rindex(name) for name in sorted(names.values())] == sorted(home.rindex(n) for n in names.values())
    assert f"In events it is called {names['alice']}" in feedback(folder, "alice")
    assert "NameError" in feedback(folder, "roberta"), "it crashed in a game"
    own = next((folder / "feedback/alice/games").iterdir()).read_text()
    assert leaks(told(folder / "feedback/alice"), ["roberta", "carol"]) == []
    assert "said" in gzip.decompress(base64.b64decode(re.findall(r"H4sI[A-Za-z0-9+/=]{50,}", own)[0])).decode()


def test_spectators_of_a_running_game_are_told_what_is_published() -> None:
    told: list[LiveEvent] = []
    observe = PrivateFacts(key="secret", bots={}).observer(told.append)
    decision = b'{"type":"decision","seat":0,"decision":"draw","action":{"card":"ace"},"info":{"said":"Realname"}}'
    fault = b'{"type":"fault","seat":1,"code":"crash","message":"Realname: no such file"}'
    for line in (decision, fault):
        observe(LineRecorded(game_id="r01-t001-d01-s1", line=line))
    assert [event.line for event in told if isinstance(event, LineRecorded)] == [
        decision.replace(b',"info":{"said":"Realname"}', b""),
        fault.replace(b"Realname: no such file", b"not published"),
    ]
