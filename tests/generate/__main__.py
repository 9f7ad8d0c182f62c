"""Renew all generated files: `make generate`."""

import sys

from tests.generate.files import renew

changed = renew()
for name in changed:
    sys.stdout.write(f"{name}\n")
summary = f"{len(changed)} generated files changed; review them with `git diff`." if changed else "No change."
sys.stdout.write(f"{summary}\n")
