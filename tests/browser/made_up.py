"""A made-up game as the document of a page: five seats, three rounds, a fault, hostile text wherever text may be."""

from typing import Any

from referee.games.renderer import Breakdown, Node, PanelFrame, Sprite
from referee.pages.document import (
    DecisionShown,
    Document,
    FaultShown,
    Ghost,
    LegalAction,
    Line,
    PanelChange,
    ResultShown,
    Rule,
    Seat,
    Step,
    View,
)

HOSTILE = "</script><img src=http://x.test/ onerror=alert(1)>"
NAMES = ("steady", HOSTILE, "random", "quick", "Ann")
AUDIENCES = ("all", "0", "1", "2", "3", "4", "public")
STEPS = 24


class _Pool:
    """Texts and sprites, each stored once."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.sprites: list[Sprite] = []

    def text(self, text: str) -> int:
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)

    def sprite(self, sprite: Sprite) -> int:
        if sprite not in self.sprites:
            self.sprites.append(sprite)
        return self.sprites.index(sprite)


def _piece(seat: int, number: int) -> Sprite:
    shape = [Node("circle", {"class": f"seat{seat}", "r": 12}, ())]
    label = f"{NAMES[seat]}'s piece on field {number}"
    return Sprite(key=f"piece {seat}", x=40 + 30 * number, y=30 + 40 * seat, shape=shape, label=label, seat=seat)


def _counter(seat: int, yuan: int) -> Sprite:
    shape = [Node("text", {"class": "t16"}, (f"{yuan} yuan",))]
    return Sprite(key=f"yuan {seat}", x=10, y=30 + 25 * seat, shape=shape, label=f"{yuan} yuan", seat=seat)


def _field(number: int) -> Sprite:
    shape = [Node("rect", {"class": "quiet", "x": -12, "y": -6, "width": 24, "height": 12})]
    return Sprite(key=f"field {number}", x=40 + 30 * number, y=225, shape=shape, label=f"field {number}", quiet=True)


def made_up(*, finished: bool = True, audiences: tuple[str, ...] = AUDIENCES, **fields: Any) -> Document:
    """The document. In the views of seats 1 to 4 and of the public, the decisions of seat 0 are hidden."""
    pool = _Pool()
    frames = [
        PanelFrame(key="board", title="Board", width=860, height=240),
        PanelFrame(key="money", title="Money", width=420, height=150, half=True),
        PanelFrame(key="scores", title="Scoring", width=420, height=150, half=True),
    ]
    ghost = pool.sprite(Sprite(key="ghost", x=0, y=0, shape=[Node("circle", {"class": "seat0", "r": 8})]))
    actions = [
        LegalAction(
            label=pool.text(f"move to field {n}"),
            targets=[f"board/field {n}"],
            ghost=Ghost(panel="board", sprite=ghost),
        )
        for n in range(24)
    ]
    actions.append(LegalAction(label=pool.text(f"say {HOSTILE}")))
    legal = [*range(len(actions))]
    pieces = [*map(_field, range(24)), *(_piece(seat, 0) for seat in range(5))]
    first = [
        PanelChange(frame=0, put=[pool.sprite(sprite) for sprite in pieces]),
        PanelChange(frame=1, put=[pool.sprite(_counter(seat, 9)) for seat in range(5)]),
    ]
    start = View(lines=[Line(text=pool.text("Round 1"), level=0)], changes=first, order=[0, 1, 2], scores=[0] * 5)
    steps = [Step(kind="setup", views=[start] * len(audiences))]
    scores = [0] * 5
    yuan = [9] * 5
    for number in range(1, STEPS):
        seat = (number - 1) % 5
        round_number = 1 + number // 8
        if number == 7:
            message = pool.text(f"not legal: {HOSTILE}")
            shown = FaultShown(seat=seat, code="illegal action", message=message, retry=True)
            steps.append(Step(kind="fault", round=round_number, seat=seat, views=[View(fault=shown)] * len(audiences)))
            continue
        scores = [score + (3 if index == seat else 0) for index, score in enumerate(scores)]
        put = [PanelChange(frame=0, put=[pool.sprite(_piece(seat, number))])]
        lines = [Line(text=pool.text(f"{chr(0xE000 + seat)} moves to field {number}"))]
        if number % 4 == 0:
            yuan = [money - (2 if index == seat else 0) for index, money in enumerate(yuan)]
            put.append(PanelChange(frame=1, put=[pool.sprite(_counter(seat, yuan[seat]))]))
            lines.append(Line(text=pool.text("pays 2 yuan to the great wall")))
        if number in (7, 15):
            lines.append(Line(text=pool.text(f"Round {round_number + 1}"), level=0))
        decision = DecisionShown(
            kind="choose field",
            seat=seat,
            legal=legal,
            taken=number,
            ms=12.5,
            info=pool.text(f'{{"value": {number}, "note": "{HOSTILE}"}}'),
            numbers={"value": number / 2},
            stderr=pool.text("thinking…\n") if seat == 1 else None,
        )
        views = [
            View(
                lines=[] if seat == 0 and audience not in ("all", "0") else lines,
                marks=["event"] if number % 8 == 0 else [],
                decision=None if seat == 0 and audience not in ("all", "0") else decision,
                changes=put,
                scores=scores,
            )
            for audience in audiences
        ]
        steps.append(Step(kind="decision", round=round_number, seat=seat, views=views))
    if finished:
        steps.append(Step(kind="result", round=3, views=[View()] * len(audiences)))
        fields |= {
            "result": ResultShown(scores=scores, ranks=[1, 1, 3, 3, 5], faults=[None, "illegal action", *[None] * 3]),
            "breakdown": Breakdown(sources=["moves", HOSTILE], points=[scores, [0] * 5]),
        }
    else:
        due = DecisionShown(kind="choose field", seat=0, legal=legal)
        last = View(changes=put, due=due, scores=scores)
        steps[-1] = Step(kind="decision", round=3, seat=2, views=[last] * len(audiences))
    return Document(
        referee="0",
        game="made_up",
        title="A made-up game",
        game_id="0007-2",
        seats=[Seat(name=name, introduction=f"{name} 1.0") for name in NAMES],
        audiences=list(audiences),
        frames=frames,
        sprites=pool.sprites,
        texts=pool.texts,
        actions=actions,
        steps=steps,
        stderr=["", f"bye {HOSTILE}", "", "", ""],
        rules=[Rule(title="great wall", kind="The game", text="It is long, and costs yuan.", words=["wall"])],
        **fields,
    )
