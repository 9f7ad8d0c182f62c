"""Renew all golden files: python -m tests.golden."""

import sys

from tests.golden.files import renew

for name in (changed := renew()):
    sys.stdout.write(f"tests/golden/{name}\n")
sys.stdout.write(f"{len(changed)} golden files changed; review them with `git diff`.\n" if changed else "No change.\n")
