"""A game as one page for a browser, from a file or live, and a position as one SVG."""
