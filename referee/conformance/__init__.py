"""Checks of one bot against the protocol: a deliberately difficult referee, in levels.

A check is a small function that plays with the bot and returns a `Finding`; `suite` lists them in their order, and
`check_bot` runs them. Nothing here prints, and nothing but `Candidate` starts a process.
"""
