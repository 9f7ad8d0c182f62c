"""The life of an untrusted process: start, lines in and out with limits, standard error, memory, end."""
