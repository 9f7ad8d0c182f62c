"""Tile sets from TOML files: what they hold, what is wrong with them, and playing with one."""

from collections.abc import Sequence
from time import process_time
from typing import Any

import msgspec
import pytest

from referee.games import OptionError, Seeded, config_from, new_game
from referee.games.forbidden_city import ForbiddenCity
from referee.games.forbidden_city.config import CityConfig
from referee.games.forbidden_city.tile_set import (
    MAX_COLOURS,
    MAX_COPIES,
    MAX_TILES,
    TileSetError,
    parse_tile_set,
    reconstructed,
)
from referee.games.forbidden_city.tiles import OWNERS
from referee.testing import encode, fingerprint, finish
from tests.games.city import tile

COLOURS = 'colours = ["green", "pink"]\n'


def entry(text: str, *owners: str, copies: int = 1, two: bool = False) -> str:
    """The entry of a tile, drawn as in `tests.games.city`."""
    shown = tile(text)
    return (
        f"edges = '{shown.edges}'\nparts = {list(shown.parts)}\npicture = '{shown.picture}'\ncount = {shown.count}\n"
        f"copies = {copies}\ntwo = {str(two).lower()}\n" + (f"owners = {list(owners)}\n" if owners else "")
    )


DRAGONS = entry("g/wooo:d", copies=3)


def entries(*bodies: str, colours: str = COLOURS) -> str:
    """A file with these tiles."""
    return colours + "".join(f"[[tile]]\n{body}\n" for body in bodies)


def problem_of(text: str) -> str:
    """What is said to be wrong with a file."""
    with pytest.raises(TileSetError) as refusal:
        parse_tile_set(text)
    return str(refusal.value)


# -- the format -----------------------------------------------------------------------------------------------


def test_a_tile_belongs_to_every_owner_once_and_has_no_picture_unless_the_file_says_otherwise() -> None:
    tiles = parse_tile_set(entries('edges = "wooo"\nparts = ["green"]', DRAGONS))
    assert tiles.owned == dict.fromkeys(OWNERS, (tile("g/wooo"), *[tile("g/wooo:d")] * 3))


def test_a_byte_order_mark_is_no_part_of_a_tile_set() -> None:
    text = entries('edges = "wooo"\nparts = ["green"]', DRAGONS)
    assert parse_tile_set(f"\ufeff{text}") == parse_tile_set(text)


def test_a_tile_may_be_given_in_copies_and_to_some_owners() -> None:
    tiles = parse_tile_set(
        entries(
            entry("pg/waoo:AA", "purple", "red", copies=4),
            entry("g/wooo:d", "yellow", "blue", copies=3),
            entry("p/aaaa", "blue", "yellow"),
        )
    )
    assert tiles.owned["purple"] == tiles.owned["red"] == (tile("pg/waoo:AA"),) * 4
    assert tiles.owned["yellow"] == tiles.owned["blue"] == (*[tile("g/wooo:d")] * 3, tile("p/aaaa"))


def test_tiles_marked_2_belong_to_purple_and_yellow_and_are_used_with_two_players_only() -> None:
    tiles = parse_tile_set(entries(DRAGONS, entry("p/awww", copies=2, two=True)))
    assert {owner: len(extra) for owner, extra in tiles.two.items()} == {"purple": 2, "yellow": 2, "red": 0, "blue": 0}
    assert [len(tiles.stack(1, players)) for players in (2, 3, 4)] == [5, 3, 3]


def test_a_set_may_have_any_colours() -> None:
    colours = 'colours = ["jade", "ruby", "gold", "onyx"]\n'
    text = entries('edges = "wooo"\nparts = ["onyx", "jade"]\ncopies = 5', colours=colours)
    assert parse_tile_set(text).colours == ("jade", "ruby", "gold", "onyx")


# -- what can be wrong ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('edges = "woo"\nparts = ["green"]', ["'woo'", "four small letters"]),
        ('edges = "wooox"\nparts = ["green"]', ["'wooox'", "four small letters"]),
        ('edges = "wood"\nparts = ["green"]', ["'wood'", "o open, w wall, a archway"]),
        ('edges = "WOOO"\nparts = ["green"]', ["'WOOO'", "small letters", "o open, w wall, a archway"]),
        ('edges = "oooo"\nparts = ["green"]', ["'oooo'", "no wall and no archway"]),
        ('edges = "wooo"\nparts = []', ["[]", "one room colour, or two"]),
        ('edges = "wooo"\nparts = ["green", "pink", "green"]', ["one room colour, or two"]),
        ('edges = "wooo"\nparts = ["green", "mauve"]', ["'mauve'", "'green', 'pink'"]),
        ('edges = "wooo"\nparts = ["green"]\npicture = "dragon"', ["count must be 1", "not 0"]),
        ('edges = "wooo"\nparts = ["green"]\npicture = "dragon"\ncount = 2', ["count must be 1", "not 2"]),
        ('edges = "wooo"\nparts = ["green"]\npicture = "advisors"\ncount = 0', ["count must be 1 or 2", "not 0"]),
        ('edges = "wooo"\nparts = ["green"]\npicture = "advisors"\ncount = 3', ["count must be 1 or 2", "not 3"]),
        ('edges = "wooo"\nparts = ["green"]\ncount = 1', ["count must be 0", "'none'", "not 1"]),
        (
            'edges = "wooo"\nparts = ["green"]\npicture = "tiger"',
            ["dragon, advisors or none", "'tiger'"],
        ),
        ('edges = "wooo"\nparts = ["green"]\ncopies = 0', ["copies", ">= 1"]),
        (f'edges = "wooo"\nparts = ["green"]\ncopies = {MAX_COPIES + 1}', ["copies", f"<= {MAX_COPIES}"]),
        (f'edges = "wooo"\nparts = ["green"]\ncopies = {10**30}', ["copies"]),
        ('edges = "wooo"\nparts = ["green"]\nowners = ["orange"]', ["owner 'orange'", "purple, yellow, red, blue"]),
        ('edges = "wooo"\nparts = ["green"]\nowners = []', ["owners is empty", "leave it out"]),
        ('edges = "wooo"\nparts = ["green"]\nowners = ["red", "red"]', ["owner red is named twice", "copies"]),
        ('edges = "wooo"\nparts = ["green"]\ntwo = true\nowners = ["blue"]', ["only purple and yellow own tiles"]),
        ('edges = "wooo"\nparts = ["green"]\nrotation = 1', ["unknown key 'rotation'", "edges, parts, picture, count"]),
        ('edges = "wooo"\nparts = "green"', ["parts", "array"]),
        ('edges = 4\nparts = ["green"]', ["edges", "str"]),
        ('parts = ["green"]', ["edges is missing"]),
        ('edges = "wooo"', ["parts is missing"]),
    ],
)
def test_an_error_names_the_tile_and_what_is_wrong_with_it(body: str, words: list[str]) -> None:
    problem = problem_of(entries(DRAGONS, DRAGONS, body, DRAGONS))
    assert "tile 3" in problem
    assert all(word in problem for word in words), problem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("colours = [", ["not valid TOML"]),
        ("", ["colours is missing"]),
        (COLOURS, ["tile is missing"]),
        (COLOURS + '[tile]\nedges = "wooo"', ["[[tile]] with two brackets"]),
        (COLOURS + "tile = [1]", ["tile 1", "object", "int"]),
        (entries(DRAGONS) + 'name = "mine"\nname = "yours"', ["not valid TOML"]),
        ('title = "mine"\n' + entries(DRAGONS), ["unknown key 'title'", "did you mean 'tile'?"]),
        (entries(DRAGONS).replace("[[tile]]", "[[tiles]]"), ["unknown key 'tiles'", "did you mean 'tile'?"]),
        (entries(DRAGONS, colours='colours = ["green", ""]\n'), ["colour 2 has no name: ''"]),
        (entries(DRAGONS, colours='colours = ["green", " "]\n'), ["colour 2 has no name: ' '"]),
        (entries(DRAGONS, colours='colours = ["green", 2]\n'), ["colours 2: "]),
        (entries(DRAGONS, colours='colours = ["green", "pink", "green"]\n'), ["colour 3 is a duplicate: 'green'"]),
        (entries(DRAGONS, colours="colours = []\n"), [f"1 to {MAX_COLOURS} names, not 0"]),
        (
            entries(DRAGONS, colours=f"colours = {[f'c{n}' for n in range(MAX_COLOURS + 1)]}\n"),
            [f"not {MAX_COLOURS + 1}"],
        ),
        (entries(DRAGONS, colours=f"colours = ['green', '{'x' * 41}']\n"), ["colour 2", "over 40 characters"]),
        (
            entries(*[entry("g/wooo:d", copies=MAX_COPIES)] * (MAX_TILES // MAX_COPIES + 1)),
            [f"purple owns over {MAX_TILES} tiles"],
        ),
        (entries(DRAGONS, entry("g/wooo", "red", copies=3)), ["every game", "unequal", "purple 3", "red 6", "blue 3"]),
        (
            entries(DRAGONS, entry("g/wooo", "yellow", copies=3, two=True)),
            ["two players", "unequal", "purple 0, yellow 3"],
        ),
        (entries(entry("g/wooo", copies=2), entry("g/wooo", copies=2, two=True)), ["more than 2 tiles"]),
        ("tile = []\n" + COLOURS, ["more than 2 tiles"]),
    ],
)
def test_an_error_in_the_file_as_a_whole_says_what_is_wrong(text: str, words: list[str]) -> None:
    problem = problem_of(text)
    assert all(word in problem for word in words), problem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("colours = " + "[\n" * 5000, "nested too deeply"),
        ("x = " + "{a=" * 1500 + "1" + "}" * 1500, "nested too deeply"),
        (".".join("a" * 5000) + " = 1", "more than 100 parts"),
        ("x = " + "9" * 5_000, "not valid TOML"),
        (".".join("a" * 100_000) + " = 1", "too long"),
    ],
)
def test_a_file_that_would_choke_the_reader_is_refused_at_once(text: str, words: str) -> None:
    started = process_time()
    problem = problem_of(text)
    assert process_time() - started < 2
    assert words in problem


LONG = "w" * 1500


@pytest.mark.parametrize(
    "text",
    [
        entries('edges = "wooo"\nparts = ["mauve"]', colours=r'colours = ["green", "\u001b[2J"]' + "\n"),
        entries(r'edges = "wooo"' + "\n" + r'parts = ["\u001b[2J"]'),
        entries(r'edges = "\u001b[2J"' + '\nparts = ["green"]'),
        entries('edges = "wooo"\nparts = ["green"]\n' + r'"\u001b[2J" = 1'),
        entries('edges = "wooo"\nparts = ["green"]\n' + r'owners = ["\u001b[2J"]'),
        entries('edges = "wooo"\nparts = ["green"]\n' + r'picture = "\u001b[2J"'),
        entries(f'edges = "{LONG}"\nparts = ["green"]'),
        entries(f'edges = "wooo"\nparts = ["{LONG}"]'),
        entries(f'edges = "wooo"\nparts = {["green"] * 150}'),
        entries(f'edges = "wooo"\nparts = ["green"]\n{LONG} = 1'),
        entries(f'edges = "wooo"\nparts = ["green"]\ncount = 0x{"f" * 1500}'),
        entries(DRAGONS, colours=f'colours = ["{LONG}"]\n'),
    ],
)
def test_an_error_is_short_and_printable(text: str) -> None:
    problem = problem_of(text)
    assert problem.isprintable()
    assert len(problem) < 300


def given_set(*, colour: str = "green", copies: int = 3, owners: Sequence[str] = OWNERS) -> dict[str, Any]:
    """A tile set as it stands in the config of a record."""
    kind = msgspec.to_builtins(tile("g/wooo:d"))
    return {
        "colours": [colour],
        "owned": {owner: [kind] * copies for owner in owners},
        "two": {owner: [] for owner in OWNERS},
    }


@pytest.mark.parametrize(
    "tiles",
    [
        given_set(colour="mauve"),
        given_set(copies=2),
        given_set(copies=MAX_TILES + 1),
        given_set(owners=OWNERS[:3]),
        given_set(owners=[]),
        given_set(owners=[*OWNERS, "orange"]),
        {**given_set(), "colours": ["green", "green"]},
        {**given_set(), "colours": ["green", " "]},
        {**given_set(), "comment": "mine"},
    ],
)
def test_a_set_in_a_record_is_checked_like_one_from_a_file(tiles: dict[str, Any]) -> None:
    config_from(CityConfig, {"tile_set": "mine.toml", "tiles": given_set()})
    with pytest.raises(OptionError, match="tiles"):
        config_from(CityConfig, {"tile_set": "mine.toml", "tiles": tiles})


# -- playing with another set ---------------------------------------------------------------------------------

MINE = entries(
    entry("g/wooo:d", copies=3),
    entry("g/wooo:d"),
    entry("p/wowo:AA", copies=4),
    entry("pp/waow:A", copies=4),
    entry("gp/aaaa", copies=2, two=True),
)


def read(name: str) -> str:
    """The organiser's file."""
    assert name == "sets/mine.toml"
    return MINE


def test_the_config_that_bots_see_begins_a_game_in_the_library_too() -> None:
    config = CityConfig(tile_set="sets/mine.toml").with_files(read)
    game = new_game("forbidden_city", "mine", **msgspec.to_builtins(config))
    assert fingerprint(game) == fingerprint(ForbiddenCity.new(config, Seeded("mine")))


def test_the_config_names_the_file_without_its_folder_and_holds_the_tiles() -> None:
    config = CityConfig(tile_set="sets/mine.toml").with_files(read)
    assert config.tile_set == "mine.toml"
    assert config.tiles == parse_tile_set(MINE)
    assert config.with_files(read) is config, "it is read once"


def test_the_reconstructed_set_is_read_from_no_file_and_not_sent() -> None:
    config = CityConfig().with_files(read)
    assert config.loaded_tiles() is reconstructed()
    assert b"tiles" not in encode(config)


def test_an_error_in_the_file_is_an_error_in_the_option() -> None:
    with pytest.raises(OptionError, match=r"tile_set=mine\.toml: tile 1: copies: expected `int` <= 100"):
        CityConfig(tile_set="mine.toml").with_files(lambda _: entries(entry("g/wooo:d", copies=10**12)))


@pytest.mark.parametrize("name", ["./reconstructed", "sets/reconstructed"])
def test_no_file_can_pass_as_the_reconstructed_set(name: str) -> None:
    with pytest.raises(OptionError, match=f"tile_set={name}: call the file something else"):
        CityConfig(tile_set=name).with_files(lambda _: MINE)


def test_an_error_in_a_file_is_reported_with_the_option_and_the_name_of_the_file() -> None:
    def gone(_: str) -> str:
        raise OptionError("can't be read: No such file or directory")

    with pytest.raises(OptionError) as refusal:
        CityConfig(tile_set="sets/a\nb.toml").with_files(gone)
    assert str(refusal.value) == r"tile_set='sets/a\nb.toml': can't be read: No such file or directory"


@pytest.mark.slow
def test_a_game_with_the_largest_set_is_played_to_its_end() -> None:
    tiles = parse_tile_set(entries(*[entry("g/aaaa", copies=MAX_COPIES)] * (MAX_TILES // MAX_COPIES)))
    config = CityConfig(tile_set="mine.toml", tiles=tiles)
    game = finish(ForbiddenCity.new(config, Seeded("large")), "large")
    assert len(game.rooms.laid) == 9 + 2 * (MAX_TILES - 2)


def test_a_game_with_a_set_that_was_not_read_is_refused() -> None:
    with pytest.raises(OptionError, match=r"tile_set=mine\.toml: the tiles in that file are missing"):
        ForbiddenCity.new(CityConfig(tile_set="mine.toml"), Seeded(1))
