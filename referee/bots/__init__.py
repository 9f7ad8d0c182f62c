"""What a BOT is, how it is built, what its author did wrong, and what is checked before it plays."""
