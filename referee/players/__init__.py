"""Players: bots over a connection, built-in policies and persons, with their clocks, and how bots are started."""
