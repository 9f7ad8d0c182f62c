"""Many games: schedules, standings and the runner that plays them."""
