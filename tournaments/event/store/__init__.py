"""The folder of a tournament: its records, database and manifest; written so that nothing finished is ever lost."""
