"""A tournament as an event: its file, its folder, its director, and the service that commands call."""
