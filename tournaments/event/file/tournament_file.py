"""The file that describes a tournament: who plays what in which format, and how it is run."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType, structs

from referee.bots.bot_spec import BUILTIN, BotSpec, BotSpecError, check_game, from_command, from_file, parse_bot
from referee.bots.shown import shown_paths
from referee.files import is_folder, is_there
from referee.games import Game, GameConfig, OptionError, config_from, find_game, split_parameters
from referee.games.narrator import format_count
from referee.games.opening import OpeningError
from referee.games.options import options
from referee.given_paths import hint
from referee.players.clock import TimeControlError
from referee.printable import displayed_name
from referee.processes.environment import EnvironmentSettingError, parse_environment
from referee.processes.limits.process_limits import DEFAULT, ProcessLimits
from referee.seeds import new_seed
from tournaments.competition.formats.interface import Format, FormatError
from tournaments.competition.formats.registry import FORMATS
from tournaments.competition.ratings import STATISTICS
from tournaments.competition.regulations import CHAIN, Entrant, OpeningRule, Regulations, SeedsFrom
from tournaments.competition.results import tournament_standings
from tournaments.competition.rounds import DealsOf
from tournaments.competition.tiebreaks import TIE_BREAKS, TieBreak
from tournaments.event.file.ratings_file import read_ratings
from tournaments.event.file.tables import BotTable, ClockTable, FileTable, OpeningTable, RunKeys, RunTable, keys_of
from tournaments.event.file.toml_source import Source, format_unknown, format_value, read_source
from tournaments.event.file.tournament_spec import TournamentBot, TournamentSpec, next_stop
from tournaments.event.store.errors import NoTournament
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.private import owner_label
from tournaments.play.conditions import ClockLimits, Conditions
from tournaments.play.configuration import check_openings, openings_of, read_openings_file, read_text
from tournaments.play.executor import ExecutorError, executor_kind

MAX_RATING: Final = 9999
BOT_SOURCES: Final = ("path", "command", "builtin")


def read_tournament(
    path: Path,
    late: Sequence[Mapping[str, Any]] = (),
    *,
    kept: Mapping[str, str] = {},
    openings: str | None = None,
    names: Sequence[str] | None = None,
    places: Mapping[str, Path] = {},
    run_options: Mapping[str, Any] = {},
) -> TournamentSpec:
    """The tournament that a file describes, with the [[bot]] tables of late entries. Raises TournamentFileError.

    The bot.toml of every bot and the files that options of the game name are read too; no bot is built or started.

    `kept`: by the name of a bot the text of its bot.toml as it was before its build, which is read in place of the
    file; `openings` likewise the text of the file of openings, which was checked before. `names`: those of all bots, if
    none is to play: then nothing else of them is read, and nothing in [run] that is for them.
    `run_options` take the place of keys in [run].
    """
    source = read_source(path)
    source.replace("run", run_options)
    if late:
        source.table["bot"] = [*source.table.get("bot", []), *late]
    folder = path.parent.resolve()  # how the organiser came here, no bot decides
    return _Reader(source, kept, openings, names, places, len(late), folder).read()


class _Reader(Struct):
    """Reads the tables of one file, the outer ones first. Fields as in `read_tournament`."""

    source: Source
    kept: Mapping[str, str]
    openings: str | None
    names: Sequence[str] | None
    places: Mapping[str, Path]
    late: int
    """The number of late entries."""
    folder: Path
    key: str | None = None
    """Of seals, see `tournaments.event.store.private`."""

    def read(self) -> TournamentSpec:
        table = self.source.table
        tables = ("options", "opening", "clock", "run", "bot", *FORMATS)
        known = (*FileTable.__struct_fields__, *tables)
        for key in table:
            if key not in known:
                raise self.source.error(format_unknown("a tournament file has no key", key, known), key)
        plain = {key: value for key, value in table.items() if key not in tables}
        file = self.source.read(FileTable, plain)
        self.key = new_seed() if file.pseudonyms is True else file.pseudonyms or None
        if file.folder is not None and self.names is None:
            self.folder = self._existing_folder(file.folder, "folder")
        kind = FORMATS.get(file.format)
        if kind is None:
            problem = format_unknown("unknown format", file.format, FORMATS)
            raise self.source.error(problem, "format")
        for other in FORMATS:
            if other in table and other != file.format:
                raise self.source.error(
                    f'[{other}] has no effect, as format = "{file.format}"; take it out, or make it a comment', other
                )
        name = self.source.path.stem if file.name is None else self._shown(file.name, "name")
        if file.seed is not None and not (file.seed and file.seed.isprintable()):
            raise self.source.error("seed must be printable text, and not empty", "seed")
        settings = self.source.read(kind, table.get(file.format, {}), file.format)
        run = self.source.read(RunTable, table.get("run", {}), "run")
        if run.on_round is not None and ("\0" in run.on_round or not run.on_round.strip()):
            raise self.source.error("on_round must be a command; leave it out if there is none", "run", "on_round")
        conditions = self._conditions(run, table.get("clock", {}))
        try:
            executor_kind(conditions).check(conditions, (), False)
        except ExecutorError as error:
            raise self.source.error(error, "run", error.setting) from None
        game, config = self._game(file, table.get("options", {}))
        opening, openings = self._opening(table.get("opening"), game, config)
        bots = self._rated(self._bots(table.get("bot", []), conditions.limits, game, file.seats), file)
        bots, seeds_from = self._seeded(bots, file)
        regulations = Regulations(
            name=name,
            format=file.format,
            settings=_as_in_json(settings),
            game=game.name,
            config=_as_in_json(config),
            seats=file.seats,
            deals=file.deals,
            points=file.points or settings.default_points(file.seats),
            tiebreaks=self._tiebreaks(file, kind.default_tiebreaks),
            anonymous=file.anonymous,
            bots=tuple(
                Entrant(name=bot.spec.name, owner=bot.owner, rating=UNSET if bot.rating is None else bot.rating)
                for bot in bots
            ),
            pairing=settings.algorithm(file.seats),
            deals_of=self._deals_of(file, kind),
            max_forfeits=file.max_forfeits,
            forbidden=self._forbidden(file, [bot.spec.name for bot in bots]),
            opening=opening,
            seeds_from=seeds_from,
            chain=CHAIN,
            statistics=STATISTICS,
        )
        try:
            regulations.check_format(file.seed or "")
        except FormatError as error:
            if error.setting == "forbidden":
                raise self.source.error(error, "forbidden") from None
            place = (file.format,) if error.setting is None else (file.format, error.setting)
            raise self.source.error(error, *(place if file.format in table else ("format",))) from None
        return TournamentSpec(
            path=self.source.path.absolute(),
            folder=self.folder,
            regulations=regulations,
            seed=file.seed,
            conditions=conditions,
            stop_at=None if run.stop_at is None else self._time_of_day("stop_at", run.stop_at),
            start_at=None if run.start_at is None else self._start_at(run.start_at),
            on_round=run.on_round,
            bots=bots,
            openings=openings,
            pseudonyms=self.key,
        )

    # -- the game and its scoring ---------------------------------------------------------------------------------

    def _game(self, file: FileTable, given: object) -> tuple[type[Game], GameConfig]:
        if not isinstance(given, Mapping):
            raise self.source.error(f"[options] must be a table, not {format_value(given)}", "options")
        with self.source.errors_at("game"):
            name, parameters = split_parameters(file.game)
            game = find_game(name)
        if game.cooperative:
            problem = f"{game.title} is played together, and all seats always tie: it can be played in matches only"
            raise self.source.error(problem, "game")
        if parameters.keys() & given.keys():
            raise self.source.error("options in parentheses are in [options] too: leave one out", "game")
        given = {**parameters, **given}
        known = {option.name: option.values for option in options(game.Config) if option.name != "players"}
        try:
            config: GameConfig = config_from(game.Config, {"players": str(file.seats)}, from_text=True)
        except OptionError as error:
            problem = f"{game.title} can't be played at tables of {file.seats}: {error}"
            raise self.source.error(problem.replace("players", "seats"), "seats") from None
        for key, value in given.items():
            if key == "players":
                raise self.source.error("leave players out: seats sets their number", "options", key)
            if key not in known:
                raise self.source.error(format_unknown(f"{game.title} has no option", key, known), "options", key)
            with self.source.errors_at("options", key):
                if not isinstance(value, str | int | float):
                    raise OptionError(f"{key} can't be {format_value(value)}; {key} is {known[key]}")
                config_from(game.Config, {key: value}, from_text=True).with_files(self._read_text)
        with self.source.errors_at("options"):
            config = config_from(game.Config, {"players": file.seats, **given}, from_text=True)
            return game, config.with_files(self._read_text)

    def _read_text(self, name: str) -> str:
        if "\0" in name:
            raise OptionError("has a NUL byte in its name")
        return read_text(str(self.folder / name))

    def _opening(self, given: object, game: type[Game], config: GameConfig) -> tuple[OpeningRule | UnsetType, str]:
        """How games begin, and the text of the file that says so."""
        if given is None:
            return UNSET, ""
        table = self.source.read(OpeningTable, given, "opening")
        if table.file is None:
            if table.plies is None:
                raise self.source.error('[opening] needs plies = 6, or file = "openings.txt"', "opening")
            return OpeningRule(plies=table.plies), ""
        name, text = Path(table.file).name, self.openings
        with self.source.errors_at("opening", "file", prefix="the openings can't be played: "):
            if text is None:
                if "\0" in table.file or not table.file:
                    raise OpeningError("the file has no name, or a NUL byte in it")
                text = read_openings_file(self.folder / table.file)
                check_openings(openings_of(game, name, text, table.plies, ""), game, config)
        return OpeningRule(plies=table.plies, file=name, sha256=hashlib.sha256(text.encode()).hexdigest()), text

    def _deals_of(self, file: FileTable, kind: type[Format]) -> DealsOf:
        if file.deals_of is not None and file.deals_of not in kind.deals_of:
            problem = f'deals_of = "{file.deals_of}": in the format {kind.name} it can only be "{kind.deals_of[0]}"'
            raise self.source.error(problem, "deals_of")
        return file.deals_of or kind.deals_of[0]

    def _tiebreaks(self, file: FileTable, default: tuple[TieBreak, ...]) -> tuple[TieBreak, ...]:
        if file.tiebreaks is None:
            return default
        found: list[TieBreak] = []
        for name in file.tiebreaks:
            tiebreak = next((known for known in TIE_BREAKS if known == name), None)
            if tiebreak is None:
                raise self.source.error(format_unknown("unknown tie-break", name, TIE_BREAKS), "tiebreaks")
            if tiebreak in found:
                raise self.source.error(f'the tie-break "{name}" is given twice', "tiebreaks")
            found.append(tiebreak)
        return tuple(found)

    def _forbidden(self, file: FileTable, names: Sequence[str]) -> tuple[tuple[str, str], ...]:
        found: list[tuple[str, str]] = []
        for pair in file.forbidden:
            for name in pair:
                if name not in names:
                    raise self.source.error(format_unknown("forbidden: unknown bot", name, names), "forbidden")
            if len(pair) != 2 or pair[0] == pair[1]:
                problem = 'forbidden is a list of pairs, each of two different bots: [["a", "b"], ["a", "c"]]'
                raise self.source.error(problem, "forbidden")
            found.append((pair[0], pair[1]))
        return tuple(found)

    # -- how it is run --------------------------------------------------------------------------------------------

    def _conditions(self, run: RunKeys, clock: object) -> Conditions:
        clock = self.source.read(ClockTable, clock, "clock")
        try:
            control = ClockLimits(**self._values(ClockLimits, clock, "clock")).control()
        except TimeControlError as error:
            raise self.source.error(error, "clock", error.limit) from None
        return Conditions(
            control=control,
            limits=self._limits(DEFAULT, run.limits, "run", "limits"),
            show=self._show(run.show, "run"),
            environment=self._environment(run.env, "run", "env"),
            **self._values(Conditions, run, "run"),
        )

    def _values(self, kind: type[Struct], table: Struct, name: str) -> dict[str, Any]:
        """The values of fields that have keys in a table."""
        values = {}
        for field, option in keys_of(kind).items():
            values[field] = getattr(table, option.key)
            if option.parse is not None and values[field] is not None:
                with self.source.errors_at(name, option.key, prefix=f"{option.key}: "):
                    values[field] = option.parse(values[field])
        return values

    def _limits(self, base: ProcessLimits, given: object, *place: str | int) -> ProcessLimits:
        limits = self.source.read(ProcessLimits, given, *place)
        assert isinstance(given, Mapping)
        return msgspec.structs.replace(base, **{name: getattr(limits, name) for name in given})

    def _environment(self, given: Mapping[str, str], *place: str | int) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, value in given.items():
            with self.source.errors_at(*place, name, prefix="env: "):
                if "=" in name:
                    raise EnvironmentSettingError(f"{name!r}: the name of a variable can't contain =")
                found |= parse_environment([f"{name}={value}"])
        return found

    def _show(self, names: Sequence[str], *place: str | int) -> tuple[Path, ...]:
        paths = tuple(self.folder / name for name in names) if self.names is None else ()
        for path in paths:
            if "\0" in str(path) or not is_there(path):
                raise self.source.error(f"show: no such file or folder: {path}", *place, "show")
        return paths

    def _time_of_day(self, key: str, text: str) -> time:
        try:
            hour, minute = text.split(":")
            if len(hour) == len(minute) == 2 and text.isascii():
                return time(int(hour), int(minute))
        except ValueError:
            pass
        problem = f'{key} = {format_value(text)} is not a time of day; write for example "06:00" or "23:30"'
        raise self.source.error(problem, "run", key)

    def _start_at(self, text: str) -> datetime:
        """A date with a time, or the next time that a time of day comes; in the time zone of the machine by default."""
        try:
            if len(text) > len("23:30"):
                return datetime.fromisoformat(text).astimezone()
            of_day = self._time_of_day("start_at", text)
        except (ValueError, OverflowError):
            problem = f'start_at = {format_value(text)} is not a time; write for example "18:00" or "2026-11-28 18:00"'
            raise self.source.error(problem, "run", "start_at") from None
        now = datetime.now().astimezone()
        return (now + timedelta(seconds=next_stop(of_day, now) + 0.5)).replace(microsecond=0)

    # -- the bots -------------------------------------------------------------------------------------------------

    def _bots(self, given: object, limits: ProcessLimits, game: type[Game], seats: int) -> tuple[TournamentBot, ...]:
        if not isinstance(given, list):
            raise self.source.error("write [[bot]] with two brackets, once for each bot", "bot")
        if self.names is not None and len(self.names) != len(given):
            raise self.source.error(f"the tournament has {format_count(len(self.names), 'bots')}", "bot")
        bots: list[TournamentBot] = []
        lines: dict[str, int] = {}
        for index, table in enumerate(given):
            if self.names is None:
                bot = self._bot(table, limits, game, index)
            else:
                own = self.source.read(BotTable, table, "bot", index)
                bot = TournamentBot(
                    spec=BotSpec(name=self.names[index]),
                    owner=self._owner(own, "bot", index),
                    rating=own.rating,
                    position=index,
                )
            name = bot.spec.name
            if name in lines:
                other = self.source.line("bot", lines[name])
                problem = f'two bots are called "{name}", also the one in line {other}; give one another name = "…"'
                place = ("bot", index, "name") if "name" in table else ("bot", index)
                raise self.source.error(problem, *place)
            lines[name] = index
            bots.append(bot)
        if len(bots) < seats:
            key = "seats" if "seats" in self.source.table else "bot"
            raise self.source.error(
                f"tables of {seats} need at least {seats} bots; the file has {format_count(len(bots), 'bots')}", key
            )
        return tuple(bots)

    def _rated(self, bots: tuple[TournamentBot, ...], file: FileTable) -> tuple[TournamentBot, ...]:
        """The bots with the ratings of a file that is named, the best first; late entries stay last."""
        if file.ratings is not None:
            with self.source.errors_at("ratings", prefix="ratings: "):
                known = read_ratings(self.folder / file.ratings)
            for bot in bots:
                if len(known.get(bot.spec.name, ())) > 1 and bot.rating is None:
                    problem = (
                        f"ratings: {file.ratings} has several versions of {bot.spec.name}: make it with"
                        " `referee ratings --latest`, or give rating = … in the [[bot]]"
                    )
                    raise self.source.error(problem, "ratings")
            bots = tuple(
                structs.replace(bot, rating=known[bot.spec.name][0])
                if bot.rating is None and bot.spec.name in known
                else bot
                for bot in bots
            )
        first, late = bots[: len(bots) - self.late], bots[len(bots) - self.late :]
        if file.seeds_from is not None or all(bot.rating is None for bot in first):
            return bots
        return (*sorted(first, key=lambda bot: math.inf if bot.rating is None else -bot.rating), *late)

    def _seeded(
        self, bots: tuple[TournamentBot, ...], file: FileTable
    ) -> tuple[tuple[TournamentBot, ...], SeedsFrom | UnsetType]:
        """The bots in the order of the final standings of an earlier tournament, if one is named, and which it is.

        The file in the folder of a tournament names no folder, and has them in that order.
        """
        if file.seeds_from is None:
            return bots, UNSET
        if isinstance(file.seeds_from, dict):
            return bots, self.source.read(SeedsFrom, file.seeds_from, "seeds_from")
        if file.ratings is not None:
            raise self.source.error("give seeds_from or ratings: both order the bots", "seeds_from")
        with self.source.errors_at("seeds_from", prefix="seeds_from: "):
            if "\0" in file.seeds_from:
                raise NoTournament("a file name can't contain a NUL byte")
            before = TournamentFolder.open(self.folder / file.seeds_from)
            if not before.manifest.finished:
                raise NoTournament(f"the tournament in {before.path} is not finished")
            standings = tournament_standings(load(before, repair=False).progress, True).standings
        places = {row.name: row.place for row in standings}
        if not any(bot.spec.name in places for bot in bots):
            raise self.source.error(f"seeds_from: none of the bots was in {before.path}", "seeds_from")
        manifest = before.manifest
        ordered = sorted(bots, key=lambda bot: places.get(bot.spec.name, math.inf))
        return tuple(ordered), SeedsFrom(tournament=manifest.regulations.name, head=manifest.head)

    def _bot(self, given: object, limits: ProcessLimits, game: type[Game], index: int) -> TournamentBot:
        place = ("bot", index)
        table = self.source.read(BotTable, given, *place)
        sources = [key for key in BOT_SOURCES if getattr(table, key) is not None]
        if len(sources) != 1:
            found = " and ".join(sources) + ": take one of them" if sources else "none of them"
            raise self.source.error(f"a [[bot]] has a path, a command or a builtin; this one has {found}", *place)
        folder = self.folder
        if table.folder is not None:
            if table.command is None:
                raise self.source.error("folder says where a command runs; this bot has none", *place, "folder")
            if table.name not in self.places:
                folder = self._existing_folder(table.folder, *place, "folder")
        folder = self.places.get(table.name or "", folder)
        with self.source.errors_at(*place, sources[0]):
            spec = self._spec(table, folder)
            check_game(spec, game)
        name = spec.name if table.name is None else self._shown(table.name, *place, "name")
        limits = self._limits(limits, table.limits, *place, "limits").lowered(spec.requested)
        environment, show = self._environment(table.env, *place, "env"), self._shown_to(spec, table.show, *place)
        if self.key is not None and table.name is None and spec.is_program:
            problem = "with pseudonyms a [[bot]] needs a name; without one its bot.toml or its command gives it one"
            raise self.source.error(problem, *place)
        if table.rating is not None and not abs(table.rating) <= MAX_RATING:
            problem = f"rating = {format_value(table.rating)} is not allowed; it must be within ±{MAX_RATING}"
            raise self.source.error(problem, *place, "rating")
        return TournamentBot(
            spec=structs.replace(
                spec,
                name=name,
                build=() if table.built else spec.build,
                limits=limits,
                environment=environment,
                show=show,
            ),
            owner=self._owner(table, *place),
            rating=table.rating,
            position=index,
            exclusive=None if table.exclusive is None else self._shown(table.exclusive, *place, "exclusive"),
        )

    def _owner(self, table: BotTable, *place: str | int) -> str | None:
        owner = None if table.owner is None else self._shown(table.owner, *place, "owner")
        return owner if owner is None or self.key is None else owner_label(self.key, owner)

    def _shown_to(self, spec: BotSpec, names: Sequence[str], *place: str | int) -> tuple[Path, ...]:
        paths = self._show(names, *place)
        with self.source.errors_at(*place, "show", prefix="show: "):
            return shown_paths(spec, paths) if paths else ()

    def _spec(self, table: BotTable, folder: Path) -> BotSpec:
        """The BotSpec of a bot; its command runs in that folder. Raises BotSpecError."""
        if table.builtin is not None:
            return parse_bot(BUILTIN + table.builtin.removeprefix(BUILTIN))
        if table.path is not None:
            if "\0" in table.path:
                raise BotSpecError(f"path = {table.path}: a file name can't contain a NUL byte")
            path = self.places.get(table.name or "", self.folder / table.path)
            text = None if table.name is None else self.kept.get(table.name)
            return from_file(path if path.name == "bot.toml" else path / "bot.toml", text)
        assert table.command is not None
        words = [table.command] if isinstance(table.command, str) else table.command
        if any("\0" in word for word in words):
            raise BotSpecError("command: the name of a program or file can't contain a NUL byte")
        return from_command(table.command, folder)

    def _existing_folder(self, name: str, *place: str | int) -> Path:
        folder = self.folder / name
        if "\0" in name or not is_folder(folder):
            raise self.source.error(f"no such folder: {folder}{hint(folder)}", *place)
        return folder

    def _shown(self, text: str, *place: str | int) -> str:
        """A name that can be displayed unchanged."""
        if displayed_name(text) != text:
            problem = f"{place[-1]} = {format_value(text)} is not allowed: write 1 to 60 visible characters"
            raise self.source.error(problem, *place)
        return text


def _as_in_json(value: Any) -> Any:
    """The fields as decoded from a manifest: with lists where the value may have tuples. Numbers that JSON doesn't have
    stay, for the format to refuse them."""
    plain = msgspec.to_builtins(value)
    if isinstance(plain, dict):
        return {name: _as_in_json(each) for name, each in plain.items()}
    return [_as_in_json(each) for each in plain] if isinstance(plain, list | tuple) else plain
