"""The mathematics of a competition: formats, points, tie-breaks, ratings, results.

Pure: no Trio, no files, no clock."""
