"""Parsing a BOT, building it, diagnosing its mistakes, and checking it before it plays."""
