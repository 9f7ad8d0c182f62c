"""The tournament file: what may stand in it, where its mistakes are, and an example for each format."""
