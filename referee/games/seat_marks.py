"""The mark of a seat in drawings, everywhere the same: a colour and a shape."""

from functools import lru_cache
from math import cos, pi, sin

from referee.games.renderer import Node


@lru_cache(maxsize=4096)
def seat_mark(seat: int, x: float = 0, y: float = 0, size: float = 12, colour: str = "") -> Node:
    """The shape of a seat, centred on (`x`, `y`), `size` units high, in the seat's colour, or that of a class."""
    half = size / 2
    attributes: dict[str, str | float] = {"class": colour or f"seat{seat % 5}"}
    match seat % 5:
        case 0:
            return Node("circle", {**attributes, "cx": x, "cy": y, "r": half})
        case 1:
            side = round(size * 0.9, 2)
            return Node("rect", {**attributes, "x": x - side / 2, "y": y - side / 2, "width": side, "height": side})
        case 2:
            corners = [(x, y - half), (x + half, y + half), (x - half, y + half)]
        case 3:
            corners = [(x, y - half), (x + half, y), (x, y + half), (x - half, y)]
        case _:
            radii = (half, half * 0.45)
            corners = [(x + sin(pi * n / 5) * radii[n % 2], y - cos(pi * n / 5) * radii[n % 2]) for n in range(10)]
    return Node("polygon", {**attributes, "points": " ".join(f"{cx:.4g},{cy:.4g}" for cx, cy in corners)})
