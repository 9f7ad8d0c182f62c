"""The games of OpenSpiel, as a source of games with the prefix `open_spiel` (docs/games/open-spiel.md)."""
