"""Starter kits: folders to begin a bot from, one per language."""
