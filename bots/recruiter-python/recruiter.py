"""Recruiter: the starter kit for Python with one idea more. It shows how little it takes to beat the kit.

The kit values every person the same all game long. Here a person is worth what it will still bring: a healer nothing
after the last contagion, a court lady a point for every round that is left. All other decisions are the kit's, and it
plays The Forbidden City as the kit does.
"""

import bot
from messages import DragonAct, DragonObservation, DragonStart, EventTile, PersonType
from wire import play

ROUNDS = 12


def person_values(seen: DragonObservation) -> dict[PersonType, int]:
    """What each person will bring until the end of the game, in points."""
    now = max(1, seen["round"])
    left = ROUNDS + 1 - now

    def coming(event: EventTile) -> int:
        return seen["event_row"][now - 1 :].count(event)

    return {
        "craftsman": left // 3,
        "court_lady": left,
        "tax_collector": left // 2,
        "pyrotechnist": 2 * coming("dragon_festival"),
        "warrior": 2 * coming("mongol_invasion"),
        "monk": 2,
        "healer": 4 * coming("contagion"),
        "farmer": 3 * coming("drought"),
        "scholar": left // 2,
    }


def choose_dragon(start: DragonStart, act: DragonAct) -> int:
    """The choice of the kit, with these values in place of its own."""
    bot.PERSON_VALUES.update(person_values(act["observation"]))
    return bot.choose_dragon(start, act)


if __name__ == "__main__":
    play("recruiter", {"year_of_the_dragon": choose_dragon, "forbidden_city": bot.choose_city})
