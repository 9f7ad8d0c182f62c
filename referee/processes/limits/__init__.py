"""What the processes of a bot may use, and what the machine has to provide."""
