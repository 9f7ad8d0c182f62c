"""The layout of the view of a tournament, in every size."""

import pytest
from rich.cells import cell_len

from referee.cli.tournament.screen import Screen, Section, screen_lines
from referee.reports.standings import moved_cell, quick_table
from tournaments.competition.quick_standings import QuickRow

SIZES = [(width, height) for width in (1, 2, 5, 11, 20, 40, 79, 109, 110, 250) for height in (1, 2, 3, 5, 10, 24, 70)]


def screen(bots: int, name: str = "bot {}") -> Screen:
    return Screen(
        title="Autumn Cup: swiss, In the Year of the Dragon, 200 bots",
        status=("round 3 of 7", "41 of 64 games", "105 of 448 in all", "3.4 games/s", "about 12 min left"),
        share=0.234,
        standings=quick_table(
            [
                QuickRow(
                    place=number,
                    name=name.format(number),
                    points=2.5,
                    worth=2.5,
                    game_points=0.0,
                    games=12,
                    faults=0,
                    withdrawn=number % 7 == 0,
                    eliminated=False,
                )
                for number in range(1, bots + 1)
            ],
            places_by="points",
            moved=[moved_cell(number + 2 if number % 3 else number - 11, number) for number in range(1, bots + 1)],
        ),
        sections=[
            Section("being played (4)", [f"table {number}, deal 3, rotation 2: a, b, c" for number in range(4)]),
            Section("faults (9)", [f"×{number} bot: crash: exited with status {number}" for number in range(9)], "red"),
            Section("messages", []),
            Section("last results", [f"table {number}: a 112, b 80" for number in range(99)], latest_only=True),
        ],
    )


@pytest.mark.parametrize("name", ["bot {}", "a name that is longer than it should be {}", "棋士の名前{}"])
@pytest.mark.parametrize("bots", [0, 1, 7, 200])
def test_it_fits_any_terminal(bots: int, name: str) -> None:
    for width, height in SIZES:
        lines = screen_lines(screen(bots, name), width, height)
        assert len(lines) <= height
        for line in lines:
            assert cell_len(line.plain) <= width, (width, height, line.plain)
            assert "\n" not in line.plain


def test_with_very_many_bots_the_top_is_shown_and_how_many_there_are_more() -> None:
    for width in (80, 200):
        shown = [line.plain for line in screen_lines(screen(200), width, 24)]
        bots = [number for number in range(1, 201) if any(f" bot {number} " in line for line in shown)]
        assert bots == list(range(1, len(bots) + 1))
        assert len(bots) >= 5
        assert any(f"… and {200 - len(bots)} more" in line for line in shown)


def test_all_there_is_to_see_on_a_usual_terminal() -> None:
    for width, height in ((80, 24), (150, 40)):
        shown = "\n".join(line.plain for line in screen_lines(screen(7), width, height))
        for words in ("Autumn Cup", "round 3 of 7", "about 12 min left", "23%", "bot 1", "▲2", "▼11", "2.5"):
            assert words in shown
        for words in ("being played (4)", "faults (9)", "×1 bot: crash: exited with status 1", "last results"):
            assert words in shown


def test_on_the_smallest_terminal_progress_comes_first() -> None:
    shown = screen_lines(screen(7), 80, 3)
    assert "Autumn Cup" in shown[0].plain
    assert "41 of 64 games" in shown[1].plain


def test_who_plays_no_more_is_dim_and_movements_have_their_colour() -> None:
    lines = screen_lines(screen(7), 80, 40)
    styles = {
        line.plain.split()[0]: {str(span.style) for span in line.spans} for line in lines if line.plain[:1].isdigit()
    }
    assert styles["1"] == {"green"}
    assert styles["3"] == {"red"}
    assert "dim" in styles["7"]
