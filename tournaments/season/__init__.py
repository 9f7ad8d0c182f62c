"""Seasons: a sequence of tournaments over bots that come in versions."""
