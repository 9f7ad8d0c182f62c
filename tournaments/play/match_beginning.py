"""What the games of a match are, and how they begin: their game and options, their openings, or a recorded position."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct, structs

from referee.games import DEFAULT_GAME, Game, GameConfig, config_from, find_game, split_parameters
from referee.games.opening import OpeningError, Openings
from referee.players.clock import SeatClock, TimeControl
from referee.record.position import NoSuchPosition, RecordedPosition, position_at
from referee.record.reader import InvalidRecord
from tournaments.play.bot_replay import bank_of, control_of
from tournaments.play.configuration import check_openings, configuration, openings_of, read_openings_file, read_text
from tournaments.play.match_spec import LineUp, MatchError, MatchSpec
from tournaments.play.schedule import deriving


class Beginning(Struct, frozen=True, kw_only=True):
    """How the games of a match begin."""

    game: type[Game]
    config: GameConfig
    control: TimeControl
    openings: Openings | None = None
    banks: tuple[float, ...] | None = None


def beginning(spec: MatchSpec, line_up: LineUp, seed: str) -> Beginning:
    """How the games of a match with this seed begin. Raises MatchError and OptionError."""
    if spec.played_on is not None:
        return _from_record(spec, spec.played_on, line_up)
    if spec.redraw is not None or spec.take is not None or spec.clock != "full":
        raise MatchError("--redraw, --take and --clock are for playing on from a record: give --from RECORD#N")
    game, config = configuration(spec.game or DEFAULT_GAME, spec.options, line_up.seats)
    openings = _openings(spec, game, config, seed)
    return Beginning(game=game, config=config, control=spec.conditions.control, openings=openings)


def game_of(spec: MatchSpec) -> type[Game]:
    """The game of a match. Raises MatchError and OptionError."""
    if spec.played_on is not None:
        return _position(spec.played_on).game
    return find_game(split_parameters(spec.game or DEFAULT_GAME)[0])


# -- openings ---------------------------------------------------------------------------------------------------


def _openings(spec: MatchSpec, game: type[Game], config: GameConfig, seed: str) -> Openings | None:
    if spec.openings is None and spec.opening is None:
        return None
    name = None if spec.openings is None else spec.openings.name
    try:
        text = "" if spec.openings is None else read_openings_file(spec.openings)
        openings = openings_of(game, name, text, spec.opening, deriving(seed)("openings"))
        check_openings(openings, game, config)
    except OpeningError as error:
        raise MatchError(f"the openings can't be played: {error}") from None
    return openings


# -- playing on from a record -----------------------------------------------------------------------------------


def _from_record(spec: MatchSpec, given: str, line_up: LineUp) -> Beginning:
    if spec.opening is not None or spec.openings is not None:
        raise MatchError("--from and openings can't be combined: a game that is played on has begun already")
    position = _position(given)
    _check_options(spec, position, line_up.seats)
    control, banks = spec.conditions.control, None
    if spec.clock == "recorded":
        if line_up.persons:
            raise MatchError("a person has a full clock: leave --clock out")
        control, banks = _recorded_clock(position, control)
    played_on = structs.replace(position.played_on, redraw=spec.redraw, take=_action(spec.take))
    if spec.redraw is not None:
        _check_redraw(spec.redraw, position)
    try:
        played_on.opener(position.game, position.config).begin(0, "")
    except OpeningError as error:
        raise MatchError(f"--from: {error}") from None
    return Beginning(game=position.game, config=position.config, control=control, openings=played_on, banks=banks)


def _position(given: str) -> RecordedPosition:
    """The position RECORD#N, or the last one of RECORD. Raises MatchError."""
    record, mark, number = given.rpartition("#")
    numbered = bool(mark) and number.isascii() and number.isdecimal() and len(number) < 10
    if mark and not numbered and not Path(given).exists():
        raise MatchError(f"--from {given}: expected RECORD#N, with the number of a position as on the game's page")
    path = Path(record if numbered else given)
    try:
        return position_at(path, int(number) if numbered else None)
    except InvalidRecord as error:
        raise MatchError(f"--from {path}: {error}") from None
    except NoSuchPosition as error:
        raise MatchError(f"--from: {path} {error}") from None


def _check_options(spec: MatchSpec, position: RecordedPosition, seats: int) -> None:
    """Check that nothing else is asked for than what was recorded. Raises MatchError and OptionError."""
    game, config = position.game, position.config
    name, parameters = split_parameters(spec.game or game.name)
    if name != game.name:
        raise MatchError(f"the record is of {game.name}, not of {name}: leave --game out")
    if config.players != seats:
        raise MatchError(f"the record is of a game for {config.players}, but {seats} bots are given")
    asked: dict[str, Any] = {**parameters, **spec.options}
    values = config_from(game.Config, {"players": seats, **asked}, from_text=True).with_files(read_text)
    for option in asked:
        recorded = getattr(config, option)
        if getattr(values, option) != recorded:
            shown = str(recorded).lower() if isinstance(recorded, bool) else recorded
            raise MatchError(f"the record was played with {option}={shown}: leave that option out")


def _action(given: str | None) -> Any:
    """An action as JSON, or a word. Raises MatchError."""
    if given is None or not given.startswith("{"):
        return given
    try:
        return msgspec.json.decode(given)
    except msgspec.DecodeError as error:
        raise MatchError(f"--take: invalid JSON: {error}") from None


def _check_redraw(seat: int, position: RecordedPosition) -> None:
    game = position.game
    if not 0 <= seat < position.config.players:
        raise MatchError(f"--redraw {seat}: the seats of the game are 0 to {position.config.players - 1}")
    if not game.is_searchable(position.config):
        raise MatchError(f"--redraw: what a seat of {game.title} can't know can't be drawn again: it is not searchable")


def _recorded_clock(position: RecordedPosition, given: TimeControl) -> tuple[TimeControl, tuple[float, ...] | None]:
    """The time control of the record, and what was left of the banks. Raises MatchError."""
    usual = TimeControl()
    if (given.move, given.bank, given.increment) != (usual.move, usual.bank, usual.increment):
        raise MatchError("--clock recorded takes the time control of the record: leave the other time limits out")
    recorded = control_of(position.header)
    if position.header.clock is UNSET or not recorded.enforced:
        raise MatchError("--clock recorded: the record has no time limits that were in force")
    control = structs.replace(given, move=recorded.move, bank=recorded.bank, increment=recorded.increment)
    if control.bank is None:
        return control, None
    banks = []
    for seat, thought in enumerate(position.thought_ms):
        clock = SeatClock(recorded, bank_of(position.header, seat))
        for ms in thought:
            clock.spend(ms / 1000)
            clock.finish()
        assert clock.bank is not None
        banks.append(clock.bank)
    return control, tuple(banks)
