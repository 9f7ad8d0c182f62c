"""Game records: writing them while a game runs, reading them, and checking them by the rules alone."""
