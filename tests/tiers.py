"""Which tests `make quick` leaves out: those that start many processes, play many games, or try many cases.

Every area keeps some: the rules, the wire, records, real matches, a hostile bot. Measured with `--durations=0`.
"""

from typing import Final

SLOW: Final = (
    "tests/bots/test_mason.py",
    "tests/bots/test_sample_bots.py::test_a_sample_bot_gives_the_same_answers",
    "tests/bots/test_sample_bots.py::test_steady_is_rarely_beaten",
    "tests/cli/test_bad_bots.py",
    "tests/cli/test_killed.py",
    "tests/cli/test_match.py::test_a_referee_",
    "tests/cli/test_match.py::test_a_timeout_",
    "tests/cli/test_match.py::test_an_interrupted_match",
    "tests/cli/test_match.py::test_another_seed",
    "tests/cli/test_match.py::test_bots_of_one_name",
    "tests/cli/test_match.py::test_options_of_the_game",
    "tests/cli/test_match.py::test_a_record_that_can_not",
    "tests/cli/test_match.py::test_the_clock_is_in",
    "tests/cli/test_other_commands.py::test_schemas",
    "tests/cli/test_output.py",
    "tests/cli/test_output_errors.py",
    "tests/cli/test_terminal_safety.py",
    "tests/cli/test_tile_set_files.py",
    "tests/docs/test_docs.py::test_bots_that_fail",
    "tests/docs/test_readme.py::test_the_table_in_the_readme",
    "tests/fuzz/test_cost.py",
    "tests/game_runner/test_clocks.py",
    "tests/game_runner/test_faults.py::test_timeout_of_",
    "tests/game_runner/test_framing.py::test_games_with_megabytes",
    "tests/game_runner/test_reproducible.py",
    "tests/game_runner/test_results.py::test_next_game_is_played",
    "tests/games/test_conformance.py::test_a_copy_is_far_cheaper",
    "tests/games/test_conformance.py::test_games_are_the_same_in_every_process",
    "tests/games/test_third_game.py::test_tests_are_collected",
    "tests/games/test_third_game.py::test_a_third_game_passes",
    "tests/generate/test_",
    "tests/hostile/test_command.py",
    "tests/hostile/test_isolation.py",
    "tests/processes/test_cleanup.py",
    "tests/processes/test_limits.py",
    "tests/processes/test_sandbox.py::test_nothing_is_left",
    "tests/protocol/test_decoding.py::test_an_answer_with_any_byte",
    "tests/protocol/test_decoding.py::test_any_json",
    "tests/protocol/test_messages.py::test_any_",
    "tests/record/test_record_mutations.py",
    "tests/record/test_render_city_board.py::test_no_color",
    "tests/record/test_truncated.py::test_a_record_cut_after_any",
    "tests/test_printable.py::test_escaped_json",
    "tests/test_printable.py::test_every_character",
    "tests/tournaments/formats/test_knockout.py::test_it_ends",
    "tests/tournaments/formats/test_round_robin.py::test_a_plan_states",
    "tests/tournaments/formats/test_round_robin.py::test_another_seed",
    "tests/tournaments/formats/test_swiss_tables.py::test_no_worse_than",
    "tests/tournaments/test_fair_clocks.py",
    "tests/tournaments/test_interrupt.py",
    "tests/tournaments/test_reused_process.py",
)
"""Beginnings of the names of tests."""

ONE_CASE_EACH: Final = (
    "tests/bots/test_sample_bots.py",
    "tests/cli/test_",
    "tests/fuzz/test_targets.py",
    "tests/game_runner/test_",
    "tests/games/test_city_invariants.py",
    "tests/games/test_dragon_invariants.py",
    "tests/hostile/test_catalogue.py",
    "tests/processes/test_end.py",
    "tests/processes/test_process.py",
    "tests/processes/test_sandbox.py",
    "tests/record/test_render",
    "tests/record/test_truncated.py",
    "tests/tournaments/formats/test_",
    "tests/tournaments/test_",
)
"""Beginnings of the names of tests of which only the first case counts as quick."""


def is_slow(name: str, *, first_case: bool) -> bool:
    """Whether `make quick` leaves out the test of this name (its node id); `first_case`: no case of it came before."""
    return name.startswith(SLOW) or (not first_case and name.startswith(ONE_CASE_EACH))
