"""The wire between the referee and bots, and the lines of a game record: message types, codec, JSON Schema.

Knows no game's rules and imports msgspec only, so that Python bots may use it too.
"""
