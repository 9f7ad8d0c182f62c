"""On machines of each kind `.ci/new-machine` runs every quick test that depends on the sandbox."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
SCRIPT = TESTS.parent / ".ci" / "new-machine"


def test_every_module_that_needs_the_sandbox_is_run() -> None:
    told, sandboxed = re.findall(r'^(?:TOLD|SANDBOXED)="([^"]*)"', SCRIPT.read_text("utf-8"), re.MULTILINE)
    run = [TESTS / path for path in sandboxed.replace("$TOLD", told).split()]
    assert all(path.exists() for path in run)
    missing = []
    for module in TESTS.rglob("test_*.py"):
        text = module.read_text("utf-8")
        needs = re.search(r"import .*\bneeds_sandbox\b", text)
        if needs and not any(module.is_relative_to(path) for path in run) and has_quick_tests(text):
            missing.append(str(module.relative_to(TESTS)))
    assert not missing, f"add them to SANDBOXED in {SCRIPT}"


def has_quick_tests(text: str) -> bool:
    """Whether not all tests of a module are left out by `make quick`."""
    return re.search(r"^pytestmark = (\[\s*)?pytest\.mark\.(slow|ci_only)\b", text, re.MULTILINE) is None
