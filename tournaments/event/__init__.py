"""A tournament on disk and in time: its file, its folder, its director, and the service that a command calls."""
