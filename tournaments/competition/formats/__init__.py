"""Tournament formats, one module each: which tables a round has, as a pure function of what was played before."""
