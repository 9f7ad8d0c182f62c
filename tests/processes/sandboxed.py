"""Whether bots can be run in a sandbox here: tried once, for all tests that need one."""

from typing import Final

import pytest

from referee.processes import sandbox

WORKING, PROBLEM = sandbox.probe()
needs_sandbox: Final = pytest.mark.skipif(WORKING is None, reason=f"no sandbox: {PROBLEM}")
