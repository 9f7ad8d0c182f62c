"""Game records: writing, reading, replaying with the rules, and rendering as text."""
