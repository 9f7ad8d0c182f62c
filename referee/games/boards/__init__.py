"""Drawings that many games share: grids of pieces, cards, dice and tracks. Any game's renderer may use them."""
