"""The keeper, which starts all bots of a supervisor and is their parent."""
