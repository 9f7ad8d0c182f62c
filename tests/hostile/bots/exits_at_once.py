"""Exits as soon as it is started, with its reason on standard error."""

import sys

sys.exit("no model.bin here")
