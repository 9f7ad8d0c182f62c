# Two commands for users: `make match` and `make test`. Everything else is for those who work on the referee.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
# The first interpreter that is new enough and can make virtual environments.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14; do \
	$$p -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BOTS := bots/steady-python bots/random-python

.PHONY: match test setup lint types contracts smoke check fuzz bench simulate generate lock clean

match: setup  ## set everything up and play a match of the sample bots
	@$(BIN)/referee match $(BOTS) builtin:random --games 4

test: setup  ## set everything up and run all tests
	@$(BIN)/pytest -n auto --dist loadgroup $(ARGS)

setup: $(VENV)/installed

$(VENV)/installed: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with venv is needed; set PYTHON=/path/to/python3"; exit 1; }
	@echo "Setting up $(VENV) with $(PYTHON) …"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

lint: setup
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: setup
	@$(BIN)/mypy

contracts: setup
	@$(BIN)/lint-imports

smoke: setup  ## every sample bot plays every game; exit status 3 on any fault
	@for bot in bots/*/; do for game in year_of_the_dragon forbidden_city; do \
		$(BIN)/referee match $$bot builtin:random --game $$game --games 2 --time-scale 3 --no-record \
		|| exit $$?; done; done

check: test lint types contracts smoke  ## all that CI checks

SECONDS = 60
fuzz: $(VENV)/fuzz-installed  ## attack every parser, for SECONDS in all
	@$(BIN)/python -m tests.fuzz run --seconds $(SECONDS)

$(VENV)/fuzz-installed: requirements-fuzz.lock $(VENV)/installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary atheris \
		-r requirements-fuzz.lock \
		|| { echo "make fuzz needs Atheris, which can't be installed here (see above). It comes for Linux on x86-64 and" \
		"Python 3.11 to 3.13. Without it, make test ARGS=tests/fuzz runs the same targets on their corpus."; exit 1; }
	@touch $@

bench: setup  ## measure the referee against a bare C referee, and the rules engines
	@$(BIN)/python -m tests.bench $(ARGS)

simulate: setup  ## how often intervals of ratings hold the truth, in simulated tournaments; ARGS="--runs 100"
	@$(BIN)/python -m tests.simulation $(ARGS)

generate: setup  ## renew all generated files (JSON Schema, transcripts, golden files), to be reviewed as a diff
	@$(BIN)/python -m tests.generate

lock: setup  ## renew requirements.lock and requirements-fuzz.lock from pyproject.toml
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
		--upgrade --extra dev pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
		--upgrade --extra fuzz --constraint requirements.lock pyproject.toml -o requirements-fuzz.lock

clean:
	rm -rf $(VENV) .fuzz .mypy_cache .ruff_cache .hypothesis .import_linter_cache build
