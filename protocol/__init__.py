"""The protocol between the referee and bots, and the format of game records.

README.md describes this folder. The modules don't depend on the rules of any game and import only msgspec, so that bots
in Python can use them too.
"""
