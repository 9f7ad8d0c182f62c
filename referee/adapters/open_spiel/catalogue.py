"""Which games of OpenSpiel can be played, why others can't, and their options."""

import keyword
from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from referee.adapters.open_spiel import chess
from referee.adapters.open_spiel.library import load
from referee.games.interface import GameConfig, OptionError
from referee.games.narrator import readable

MAX_SEATS: Final = 10
"""The most seats of a match."""
PARTNERS: Final = frozenset({"bridge", "euchre", "spades", "tiny_bridge_4p"})
"""Games of two fixed pairs, which the library's descriptions don't mark."""
REFUSED_GAMES: Final[Mapping[str, str]] = {"pathfinding": "its default grid has a single player"}
"""Further games that can't be played, and why."""
THOUSANDTHS: Final = 1000
"""Units of scores that make one point in games with a parameter that may be a fraction."""
SHARES: Final = 2520
"""For games in which up to ten seats share a win or a loss: a multiple of 1 to 10."""
SCALES: Final[Mapping[str, int]] = {
    **dict.fromkeys(("blotto", "go_fish", "goofspiel", "pig", "quoridor", "yacht"), SHARES),
    **dict.fromkeys(("cursor_go", "go", "phantom_go"), 1),
    "lewis_signaling": THOUSANDTHS,
    "skat": 240,
    "tiny_bridge_2p": 6,
}
"""Units of scores that make one point, in games that the rule for parameters doesn't fit."""
# fmt: off
TENSORS: Final = frozenset({
    "bargaining", "battleship", "blotto", "capture_the_flag", "colored_trails", "coop_box_pushing",
    "crazy_eights", "dark_chess", "dark_hex", "first_sealed_auction", "gin_rummy", "goofspiel", "hearts",
    "kuhn_poker", "laser_tag", "latent_ttt", "leduc_poker", "lewis_signaling", "liars_dice", "markov_soccer",
    "matching_pennies_3p", "matrix_bos", "matrix_brps", "matrix_cd", "matrix_coordination", "matrix_mp",
    "matrix_pd", "matrix_rps", "matrix_rpsw", "matrix_sh", "matrix_shapleys_game", "oh_hell", "oshi_zumo",
    "phantom_ttt", "rbc", "repeated_leduc_poker", "sheriff", "skat", "snake", "tiny_bridge_2p", "tiny_hanabi",
    "trade_comm", "universal_poker",
})
"""Games with hidden information whose tensors tell a seat no more than its texts: in many pairs of positions with the
same texts they were the same (`tensor_pairs` in the tests, and the table in docs/games/open-spiel.md)."""
SEARCHABLE: Final = frozenset({
    "bargaining", "coordinated_mp", "first_sealed_auction", "gin_rummy", "hearts", "kuhn_poker",
    "leduc_poker", "lewis_signaling", "liars_dice", "liars_dice_ir", "oh_hell", "sheriff", "tiny_bridge_2p",
    "tiny_hanabi", "trade_comm", "universal_poker",
})
# fmt: on
"""Games with hidden information in which what a seat doesn't know can be drawn again: many samples of each looked the
same to the seat and could be played to their end (`draw_samples` in the tests, and the table)."""
OPEN_DECISIONS: Final = frozenset({"oh_hell"})
"""Games with hidden information in which every seat sees every decision."""
SHOWN_DECISIONS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("crazy_eights", "dou_dizhu", "gin_rummy", "go_fish", "hearts", "kuhn_poker", "leduc_poker", "liars_dice",
         "liars_dice_ir", "skat", "tiny_bridge_2p", "universal_poker"), ".*",
    ),
    "battleship": ".*shoot.*",
    "cribbage": r"Choose \w+",
}  # fmt: skip
"""The actions that all at the table see, by patterns of their texts, in other games with hidden information."""
CHANGED: Final[Mapping[str, Mapping[str, Any]]] = {"twixt": {"ansi_color_output": False}}
"""Parameters with another value than the library's default: texts must not have escape sequences."""
NOT_OPTIONS: Final = frozenset(
    {"players", "ansi_color_output", "seed", "rng_seed", "string_rep", "use_double_dummy_result"}
)
"""Parameters that can't be set: chance comes from the referee's seed, and texts have no colours."""
FILE_ENDINGS: Final = ("_file", "filename", "_root")
"""Endings of the names of parameters that name files, which can't be set either."""
OPTION_TYPES: Final = (bool, int, float, str)


def refusal(kind: Any) -> str | None:
    """Why a game can't be played; None if it can, unless its default parameters don't load."""
    name, library_kind = kind.short_name, type(kind)
    if "game" in kind.parameter_specification or "stage_game" in kind.parameter_specification:
        return "it is a variation of another game"
    if kind.dynamics == library_kind.Dynamics.MEAN_FIELD:
        return "mean-field games have no seats"
    if kind.max_num_players < 2:
        return "it has a single player"
    if kind.chance_mode == library_kind.ChanceMode.SAMPLED_STOCHASTIC:
        return "it draws its random values inside the state, so that a record could not be checked"
    if kind.action_structs_only:
        return "its actions are structures, without a list of legal actions"
    if not kind.default_loadable:
        return "it needs parameters, such as a file"
    if not (kind.provides_observation_string or kind.provides_information_state_string):
        return "it has no texts for what a seat sees"
    if name in REFUSED_GAMES:
        return REFUSED_GAMES[name]
    if name in PARTNERS:
        return "it is a game of partners, who win together"
    return None


def is_public(kind: Any) -> bool:
    """Whether nothing is hidden and nobody decides at the same time as another seat."""
    return bool(kind.dynamics == type(kind).Dynamics.SEQUENTIAL and not has_secrets(kind))


def has_secrets(kind: Any) -> bool:
    """Whether more is hidden from a seat than what others decide at the same time."""
    return bool(kind.information == type(kind).Information.IMPERFECT_INFORMATION)


def score_scale(kind: Any) -> int:
    """Units of a score that make one point."""
    has_fractions = any(isinstance(value, float) for value in kind.parameter_specification.values())
    return SCALES.get(kind.short_name, THOUSANDTHS if has_fractions else 1)


def parameters_of(kind: Any) -> dict[str, Any]:
    """The parameters that are options, with their defaults."""
    return {
        name: value
        for name, value in kind.parameter_specification.items()
        if isinstance(value, OPTION_TYPES)
        and name not in NOT_OPTIONS
        and name.isidentifier()
        and not keyword.iskeyword(name)
        and not name.endswith(FILE_ENDINGS)
    }


def config_type(kind: Any) -> type[GameConfig]:
    """The type of the options of a game. Raises OptionError if the game doesn't load."""
    usual = load(kind.short_name, CHANGED.get(kind.short_name, {})).num_players()
    fixed = not isinstance(kind.parameter_specification.get("players"), int)
    low = usual if fixed else max(2, kind.min_num_players)
    high = usual if fixed else min(MAX_SEATS, kind.max_num_players)
    if high < 2:
        raise OptionError(f"open_spiel:{kind.short_name} has a single player")
    usual = max(usual, low)
    players = Annotated[int, Meta(ge=low, le=high, description="number of players")]
    fields: list[Any] = [("players", players, msgspec.field(default_factory=lambda: usual))]
    if kind.short_name == chess.CHESS:
        meta = Meta(description="the position in which the game begins, as FEN or EPD; empty: the usual one")
        fields.append((chess.FEN_OPTION, Annotated[str, meta], ""))
    for name, default in parameters_of(kind).items():
        fields.append((name, Annotated[type(default), Meta(description=f"OpenSpiel: {readable(name)}")], default))
    config: Any = msgspec.defstruct(
        "OpenSpielConfig",
        fields,
        bases=(GameConfig,),
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
        omit_defaults=True,
    )
    config.__doc__ = f"Options of {kind.long_name}. In records only those that differ from the library's are given."
    made: type[GameConfig] = config
    return made


def parameters_from(kind: Any, config: GameConfig) -> dict[str, Any]:
    """What is passed to the library: only what differs from its defaults."""
    specified = kind.parameter_specification
    given = {name: getattr(config, name) for name in parameters_of(kind)}
    if isinstance(specified.get("players"), int):
        given["players"] = config.players
    changed = {name: value for name, value in given.items() if value != specified[name]}
    return {**CHANGED.get(kind.short_name, {}), **changed}
