"""Which guarantees of the sandbox hold on this machine, tried by programs inside it."""
