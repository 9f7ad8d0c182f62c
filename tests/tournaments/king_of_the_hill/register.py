"""Adds the king of the hill to the registry of the process that imports this, for example `pytest -p` with this module.

The line with `register` is all that a format needs in `tournaments/competition/formats/registry.py`, but that its
example then lies with the others and needs no name.
"""

from tests.tournaments.king_of_the_hill import KingOfTheHill
from tests.tournaments.samples import SAMPLES, Sample
from tournaments.competition.formats.registry import register

register(KingOfTheHill, example="tests.tournaments.king_of_the_hill:example.toml")
SAMPLES[KingOfTheHill.name] = Sample(lambda names: {"rounds": 5})
