"""How long tests wait for what should happen at once, in seconds: longer than a busy machine takes."""

from typing import Final

TEST_TIMEOUT: Final = 60.0
"""A command, a bot or a run that takes longer counts as stuck."""
EXIT_TIMEOUT: Final = 10.0
"""A killed process may take so long to be gone."""
COMPILER_TIMEOUT: Final = 180.0
"""A compiler may take so long."""
