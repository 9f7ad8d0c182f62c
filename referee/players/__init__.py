"""Who answers decisions: a bot process or a built-in policy."""
