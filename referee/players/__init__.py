"""Players: bots and built-in policies, their clocks, and how bots are specified and built."""
