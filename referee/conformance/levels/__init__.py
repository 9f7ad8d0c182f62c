"""The levels of checks, from the start of a process to what is optional: one module each."""
