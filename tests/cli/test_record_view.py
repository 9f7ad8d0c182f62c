"""`referee record view`: pages and pictures of recorded games from the command line."""

import gzip
import os
import shutil
import webbrowser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.command import Run, assert_error, referee
from tests.pages.browser import Answer


@pytest.fixture
def record(played: tuple[Run, Path], tmp_path: Path) -> Path:
    """A record in a folder of its own."""
    return Path(shutil.copy(played[1] / "0001-1.jsonl", tmp_path))


@pytest.fixture
def small(tmp_path: Path, pebbles_known: None) -> Path:
    """A record of a small game, likewise."""
    match = ("match", "builtin:first", "builtin:random", "--game", "pebbles", "--games", "1", "--no-rotate")
    assert referee(*match, "--record", tmp_path).status == 0
    return tmp_path / "0001-1.jsonl"


@pytest.mark.slow
def test_the_page_is_written_beside_the_record_and_named(record: Path) -> None:
    ended = referee("record", "view", record.name, cwd=record.parent)
    assert (ended.status, ended.out, ended.err) == (0, "0001-1.html\n", "")
    page = (record.parent / "0001-1.html").read_bytes()
    assert page.startswith(b"<!doctype html>")
    assert Answer(200, {}, page).document.record == record.name  # named in the command that plays on from a position
    assert referee("record", "view", record.name, cwd=record.parent).status == 0  # again, over the first


@pytest.mark.ci_only
def test_a_gzipped_record_and_pages_for_audiences_have_names_of_their_own(record: Path) -> None:
    packed = record.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(record.read_bytes()))
    options = ((), ("--as-seat", "1"), ("--public",), ("--svg", "#7"), ("--svg", "7", "--public"))
    names = [Path(referee("record", "view", packed, *each).out.strip()).name for each in options]
    assert names == ["0001-1.html", "0001-1-seat1.html", "0001-1-public.html", "0001-1-7.svg", "0001-1-public-7.svg"]
    sizes = [(record.parent / name).stat().st_size for name in names]
    assert sizes[0] > sizes[1] > sizes[2]


def test_another_place_and_standard_output(small: Path) -> None:
    page = small.parent / "elsewhere.html"
    assert referee("record", "view", small, "-o", page).out == f"{page}\n"
    assert referee("record", "view", small, "-o", "-").out == page.read_text()


@pytest.mark.slow
def test_a_position_is_well_formed_svg(record: Path) -> None:
    svg = ElementTree.fromstring(referee("record", "view", record, "--svg", "#12", "-o", "-").out)
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    title = svg.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert str(title.text).endswith("position 12")


def test_standard_error_is_in_the_page_at_its_seat_only(small: Path) -> None:
    plain = referee("record", "view", small, "-o", "-").out
    small.with_name("0001-1.seat1.stderr").write_text("I had a plan")
    assert referee("record", "view", small, "-o", "-").out != plain
    assert referee("record", "view", small, "-o", "-", "--as-seat", "0").out != plain
    mine, others, public = (
        referee("record", "view", small, "-o", "-", *audience).out
        for audience in (("--as-seat", "1"), ("--as-seat", "0"), ("--public",))
    )
    small.with_name("0001-1.seat1.stderr").unlink()
    assert mine != referee("record", "view", small, "-o", "-", "--as-seat", "1").out
    assert others == referee("record", "view", small, "-o", "-", "--as-seat", "0").out
    assert public == referee("record", "view", small, "-o", "-", "--public").out


def test_links_and_pipes_in_a_folder_of_others_lead_nowhere(small: Path) -> None:
    plain = referee("record", "view", small, "-o", "-").out
    mine = small.with_name("mine")
    mine.write_text("precious")
    small.with_name("0001-1.seat1.stderr").symlink_to(mine)
    assert referee("record", "view", small, "-o", "-").out == plain, "a page that is sent on has nothing of mine"
    page = small.with_suffix(".html")
    page.symlink_to(mine)
    assert_error(referee("record", "view", small), 1, f"can't write {page}")
    page.unlink()
    page.hardlink_to(mine)
    assert_error(referee("record", "view", small), 1, f"can't write {page}")
    assert mine.read_text() == "precious"
    page.unlink()
    os.mkfifo(page)
    assert_error(referee("record", "view", small), 1, f"can't write {page}")


def test_a_record_that_breaks_off_has_a_page_and_status_1(record: Path) -> None:
    record.write_bytes(record.read_bytes()[:3000])
    ended = referee("record", "view", record)
    assert ended.status == 1
    assert Path(ended.out.strip()).exists()
    assert "The record breaks off here, after line" in ended.err


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--as-seat", "5"), 2, "has no seat 5: its seats are 0 (bot), 1 (random)"),
        (("--as-seat", "Bot"), 2, "has no seat Bot: its seats are 0 (bot), 1 (random)"),
        (("--as-seat", "0", "--public"), 2, "--as-seat and --public can't be combined"),
        (("--svg", "#9999"), 2, "has no position #9999: its positions are #0 to #"),
        (("--svg", "forty"), 2, "invalid position forty: expected a number"),
        (("-o", "-", "--open"), 2, "--open needs a file"),
        (("-o", "0001-1.jsonl"), 2, "0001-1.jsonl is the record itself"),
        (("-o", "missing/page.html"), 1, "can't write missing/page.html: No such file or directory"),
    ],
)
def test_what_is_wrong_is_said(record: Path, options: tuple[str, ...], status: int, message: str) -> None:
    before = record.read_bytes()
    ended = referee("record", "view", "0001-1.jsonl", *options, cwd=record.parent)
    assert ended.status == status
    assert message in ended.message
    assert record.read_bytes() == before


def test_what_is_no_record_is_named_with_what_to_do(record: Path) -> None:
    missing = referee("record", "view", record.parent / "other.jsonl")
    assert missing.status == 1
    assert "can't be read: No such file or directory" in missing.message
    shown = referee("record", "view", record.parent).err.replace("\n", "")
    assert shown.endswith(f"show one of the games in it: referee record view {record}")


@pytest.mark.slow
def test_a_seat_may_be_named_by_its_bot(record: Path) -> None:
    by_name, by_number = (referee("record", "view", record, "-o", "-", "--as-seat", seat) for seat in ("bot", "0"))
    assert (by_name.status, by_name.out) == (0, by_number.out)
    assert (
        referee("record", "show", record, "--seat", "bot").out == referee("record", "show", record, "--seat", "0").out
    )
    twins = record.with_name("twins.jsonl")
    twins.write_text(record.read_text().replace('"name":"random"', '"name":"bot"'))
    assert_error(referee("record", "show", twins, "--seat", "bot"), 2, "bot has 2 seats of ")


def test_the_browser_is_opened(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def open_page(address: str) -> bool:
        opened.append(address)
        return len(opened) == 1

    monkeypatch.setattr(webbrowser, "open", open_page)
    assert referee("record", "view", small, "--open").err == ""
    assert opened == [small.with_suffix(".html").resolve().as_uri()]
    assert "no browser could be started here" in referee("record", "view", small, "--open").err
