"""The tournament file: its keys, errors with line numbers, and an example for each format."""
