"""The sandbox: what bots can see and do."""
