"""Playing many games: schedules, the pool of bot processes, the runner, worker processes, and matches."""
