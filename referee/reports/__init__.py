"""Reports of tournaments and matches for browsers: sections of words, plots and tables, as a folder or as one file."""
