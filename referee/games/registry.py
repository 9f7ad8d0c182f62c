"""The registry of games: those of the referee, and those of packages that are installed beside it.

A package names an entry point in the group `referee.games`, which is a `GamePackage`, or, under a prefix, a
`GameSource`. Entry points are read only when a name is looked up that the referee itself doesn't have.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, runtime_checkable

from msgspec import Struct
from msgspec.structs import replace

from referee.games.codec import Codec
from referee.games.interface import Game, OptionError
from referee.games.narrator import Narrator, PlainNarrator
from referee.games.policy import Policy
from referee.games.presenter import Presenter
from referee.games.renderer import Renderer
from referee.near_misses import nearest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from referee.games.opening import ListedOpening

ENTRY_POINTS: Final = "referee.games"
"""The group of the entry points of packages."""
GAME_NAME_PATTERN: Final = re.compile(r"[a-z][a-z0-9_]*(:[a-z0-9_]+)?")
"""The name of a game; with a colon it is that of a source, and a name in it."""
GAME_ATTRIBUTES: Final = ("name", "title", "Config", "Observation", "actions", "events", "recorded")
"""What every game has to say of itself."""

Location = str | type
"""A class, or where it is found: `module:class`, imported when it is first used."""


class GamePackage(Struct, frozen=True):
    """A game, and what is shown of it. Only the rules are needed.

    Without a narrator decisions and scores are listed as they are; without a presenter people can't play; without a
    renderer pages show it as text. `known` is the class of the game as far as an audience knows it, if something is
    hidden (see `Game.reveal`); `codec` numbers its actions for `referee.gyms`. `rules` is the name and the version of
    the rules in records; by default those of the distribution that has the entry point. `openings` is a function that
    reads files of openings in forms of the game's own, as `module:function`; see `opening_files.read_openings`.
    `policy` is what a search plays by, in place of random playouts.
    """

    game: type[Game]
    narrator: Location | None = None
    presenter: Location | None = None
    renderer: Location | None = None
    known: Location | None = None
    rules: str = ""
    codec: Location | None = None
    openings: str | None = None
    policy: Location | None = None


@runtime_checkable
class GameSource(Protocol):
    """Many games, which are named `PREFIX:NAME`."""

    def find(self, text: str) -> GamePackage:
        """The game with this name in the source. Raises OptionError, which says why it can't be played."""

    def names(self) -> Sequence[str]:
        """The names of the games that can be played. Raises OptionError if there are none, and says what to do."""


class BrokenPackage(NamedTuple):
    """An entry point that can't be used, and why."""

    name: str
    problem: str


_registry: Final[dict[str, GamePackage | str]] = {
    "year_of_the_dragon": "referee.games.year_of_the_dragon:DRAGON_PACKAGE",
    "forbidden_city": "referee.games.forbidden_city:CITY_PACKAGE",
}
"""The games of the referee, by name, or where they are found before they are first used."""
_sources: Final = {"open_spiel": "referee.adapters.open_spiel.source:SOURCE"}
"""Where the referee's own sources are found, by prefix."""
_loaded: Final[dict[str, GamePackage | GameSource]] = {}
"""What entry points and sources gave, by name."""


# -- names ----------------------------------------------------------------------------------------------------


def game_names() -> tuple[str, ...]:
    """The names of all games of the referee, in the order in which they were registered."""
    return tuple(_registry)


def installed_games() -> tuple[list[str], list[str], list[BrokenPackage]]:
    """The names of games of packages, the prefixes of sources, and the entry points that can't be used."""
    games: list[str] = []
    prefixes, broken = sorted(_sources), []
    for name in sorted(_entry_points().keys() - _registry.keys() - _sources.keys()):
        try:
            found = _load(name)
        except OptionError as error:
            broken.append(BrokenPackage(name, str(error)))
        else:
            (games if isinstance(found, GamePackage) else prefixes).append(name)
    return games, prefixes, broken


def find_source(prefix: str) -> GameSource:
    """The source with this prefix. Raises OptionError."""
    found = _load(prefix)
    if isinstance(found, GamePackage):
        raise OptionError(f"{prefix} is a game, not a source of games")
    return found


def split_parameters(text: str) -> tuple[str, dict[str, str]]:
    """A name of a game, and the options that follow it in parentheses: `leduc_poker(players=3)`.

    Raises OptionError.
    """
    name, opened, rest = text.partition("(")
    if not opened:
        return text, {}
    if not rest.endswith(")"):
        raise OptionError(f"{text}: the parenthesis isn't closed; write NAME(OPTION=VALUE,OPTION=VALUE)")
    given: dict[str, str] = {}
    for part in re.split(r",(?![^()]*\))", rest[:-1]) if rest != ")" else []:
        option, equals, value = part.partition("=")
        if not equals or option.strip() in given:
            wrong = "is given twice" if equals else "isn't OPTION=VALUE"
            raise OptionError(f"{text}: {part.strip() or 'an empty part'} {wrong}")
        given[option.strip()] = value.strip()
    return name, given


# -- what is registered ---------------------------------------------------------------------------------------


def find_package(name: str) -> GamePackage:
    """The game with this name, and what is registered with it. Raises OptionError, which lists all names."""
    own = _registry.get(name)
    if own is not None:
        if isinstance(own, str):
            own = _registry[name] = resolve_name(own)
        return own
    if not GAME_NAME_PATTERN.fullmatch(name):
        raise _unknown(name, _entry_points())
    found = _loaded.get(name) or _load(name.partition(":")[0], name)
    prefix, _, inner = name.partition(":")
    if isinstance(found, GamePackage):
        if found.game.name != name:
            raise OptionError(f"unknown game {name}: {prefix} is a game, not a source of games")
        return found
    if not inner:
        raise OptionError(f"{name} is a source of games: write {name}:NAME; `referee games {name}:` lists them")
    package = found.find(inner)
    if package.game.name != name:
        raise OptionError(f"{name}: the source gave the game {package.game.name!r} instead")
    _loaded[name] = package
    return package


def find_game(name: str) -> type[Game]:
    """The rules of the game with this name. Raises OptionError, which lists all names."""
    return find_package(name).game


def find_narrator(game: type[Game]) -> type[Narrator[Any]]:
    """The narrator of a game, imported; if it has none, one that lists decisions as they are."""
    return _resolved(find_package(game.name).narrator) or PlainNarrator


def find_presenter(game: type[Game]) -> type[Presenter[Any]] | None:
    """The presenter of a game, imported; None if people can't play it."""
    return _resolved(find_package(game.name).presenter)


def find_known(game: type[Game]) -> type[Game]:
    """The class of a game as far as an audience knows it, imported; by default the game itself."""
    return _resolved(find_package(game.name).known) or game


def find_renderer(game: type[Game]) -> type[Renderer[Any]] | None:
    """The renderer of a game, imported; None if pages show the game as text."""
    return _resolved(find_package(game.name).renderer)


def find_codec(game: type[Game]) -> type[Codec[Any]]:
    """The codec of a game, imported. Raises OptionError if it has none."""
    codec = _resolved(find_package(game.name).codec)
    if codec is None:
        raise OptionError(f"{game.name} has no codec, so its actions have no indices; see CONTRIBUTING")
    return codec


def find_opening_reader(game: type[Game]) -> Callable[[str, str], list["ListedOpening"]]:
    """The function that reads files of openings, from their names and contents."""
    found: Callable[[str, str], list[ListedOpening]] = resolve_name(
        find_package(game.name).openings or "referee.games.opening_files:read_openings"
    )
    return found


def find_policy(game: type[Game]) -> type[Policy] | None:
    """The policy that is registered with a game, imported; None if it has none."""
    return _resolved(find_package(game.name).policy)


def rules_version(game: type[Game]) -> str | None:
    """The name and version of the rules, such as `mygame 1.3`; None for games of the referee and without a package."""
    if game.name in _registry:
        return None
    try:
        return find_package(game.name).rules or None
    except OptionError:  # a worker is sent the class, and need not know its name
        return None


def _resolved(where: Location | None) -> type[Any] | None:
    found: type[Any] | None = resolve_name(where) if isinstance(where, str) else where
    return found


# -- entry points ---------------------------------------------------------------------------------------------


def _entry_points() -> Mapping[str, Sequence["EntryPoint"]]:
    """The entry points of all installed distributions, by name."""
    entry_points = resolve_name("importlib.metadata:entry_points")  # its import takes long, and is hardly ever needed
    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=ENTRY_POINTS):
        found.setdefault(entry.name, []).append(entry)
    return found


def _unknown(name: str, installed: Iterable[str]) -> OptionError:
    """An error about an unknown name, with the game that was probably meant, also one of the referee's sources."""
    known, hints = {each: each for each in (*_registry, *installed)}, ""
    for source in _sources:
        try:
            names = {each: f"{source}:{each}" for each in find_source(source).names()}
        except OptionError:  # it isn't installed
            hints += f"; if it is a game of {source}, write {source}:{name.rpartition(':')[2] or 'NAME'}"
        else:
            known = {**names, **{full: full for full in names.values()}, **known}
    meant = nearest(name, known)
    if meant is not None:
        return OptionError(f"unknown game {name!r}; did you mean {known[meant]!r}?")
    others = (each for each in installed if each not in _registry)
    listed = ", ".join((*_registry, *(f"{source}:…" for source in _sources), *others))
    return OptionError(f"unknown game {name!r}; available: {listed}{hints}")


def _load(name: str, asked: str = "") -> GamePackage | GameSource:
    """What the entry point with this name, without a prefix, gives. Raises OptionError, with the distribution. `asked`:
    the whole name, for an error."""
    if name in _registry:
        return find_package(name)
    if name in _loaded:
        return _loaded[name]
    if name in _sources:
        source: GameSource = resolve_name(_sources[name])
        return _loaded.setdefault(name, source)
    installed = _entry_points()
    entries = installed.get(name)
    if not entries:
        raise _unknown(asked or name, installed)
    if len(entries) > 1:
        both = " and ".join(sorted(_distribution(entry) for entry in entries))
        raise OptionError(f"{name} is a game of {both}: uninstall one of them")
    [entry] = entries
    try:
        found = entry.load()
    except (Exception, SystemExit) as error:  # whatever a module of others raises when it is imported
        raise OptionError(
            f"the game {name} of {_distribution(entry)} can't be loaded: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(found, GamePackage | GameSource):
        raise OptionError(
            f"the game {name} of {_distribution(entry)}: {entry.value} is neither a GamePackage nor a GameSource"
        )
    if isinstance(found, GamePackage):
        missing = _missing(found.game)
        if missing is not None:
            raise OptionError(f"the game {name} of {_distribution(entry)} can't be used: {missing}")
        if found.game.name != name or not GAME_NAME_PATTERN.fullmatch(name) or ":" in name:
            raise OptionError(f"the game {name} of {_distribution(entry)} calls itself {found.game.name!r}")
        if not found.rules:
            found = replace(found, rules=_distribution(entry))
    return _loaded.setdefault(name, found)


def _missing(game: Any) -> str | None:
    """What makes a class no game; None if nothing does."""
    if not (isinstance(game, type) and issubclass(game, Game)):
        return f"{game!r} is not a subclass of Game"
    lacking = [name for name in GAME_ATTRIBUTES if not hasattr(game, name)]
    return f"{game.__name__} has no {lacking[0]}" if lacking else None


def _distribution(entry: "EntryPoint") -> str:
    """The name and the version of the distribution that has an entry point."""
    return "an unknown distribution" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
