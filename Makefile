# Two commands for users: `make match` and `make test`. Everything else is for developers of the referee.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
# Where it is set, every start of Python would compile the referee again.
unexport PYTHONDONTWRITEBYTECODE
# The first interpreter that is new enough and can make virtual environments.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14; do \
	$$p -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# Compiling all that is installed takes as long as installing it. Python compiles what is used when it is first used.
PIP := -m pip install --quiet --disable-pip-version-check --no-compile
# uv, where it is found, takes a fifth of the time. $(call install,VENV,ARGUMENTS)
UV ?= $(shell command -v uv)
install = { $(if $(UV),$(UV) pip install --quiet --link-mode copy --python $(1)/bin/python $(2) || )$(1)/bin/python $(PIP) $(2); }
BOTS := bots/steady-python bots/random-python

.PHONY: match test test-ci test-all quick setup extras lint types contracts smoke check check-all wheel-test coverage \
	test-all-pythons test-oldest fuzz mutants bench bench-gym crash simulate generate lock dist clean open-spiel \
	open-spiel-table pages pages-check test-browser test-gym test-mcp test-open-spiel screenshots contact-sheet pictures

match: $(VENV)/match-installed  ## set up what playing needs, and play a match of the sample bots
	@$(BIN)/referee match $(BOTS) builtin:random --games 10

test: setup  ## set everything up and run the tests
	@.ci/tests $(BIN)/python -n auto --dist loadgroup -m "not ci_only and not check_all and not browser" $(ARGS)

test-ci: setup $(VENV)/dask-installed  ## the tests with the mark `ci_only`: compiled kits, kills of tournaments, strength of sample bots
	@.ci/tests $(BIN)/python -n auto --dist loadgroup -m "ci_only and not check_all" $(ARGS)

extras: setup $(addprefix $(VENV)/,$(addsuffix -installed,dask open-spiel gym mcp))

test-all: extras  ## both in one run, with the packages of all extras, as in CI
	@.ci/tests $(BIN)/python -n auto --dist loadgroup -m "not check_all and not browser" $(ARGS)

# The quick tests, everywhere.
QUICK := not slow and not ci_only and not check_all and not browser
quick: setup  ## the tests without the mark `slow` or `ci_only`
	@.ci/tests $(BIN)/python -n auto --dist loadgroup -m "$(QUICK)" $(ARGS)

setup: $(VENV)/installed

# A virtual environment: .venv, .venv-coverage, or one for another Python. First what users need: the referee, its pages and
# reports, and what installs it from this checkout.
.PRECIOUS: %/match-installed
%/match-installed: requirements/match.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with venv is needed (Debian: apt install" \
		"python3-venv); set PYTHON=/path/to/python3"; exit 1; }
	@echo "Setting up $* with $(PYTHON) …"
	@$(if $(UV),$(UV) venv --quiet --allow-existing --seed --python $(PYTHON) $* || )$(PYTHON) -m venv $*
	@$(call install,$*,--no-deps --require-hashes -r requirements/match.lock) || { $(NOT_INSTALLED); }
	@$(call install,$*,--no-build-isolation --no-deps -e .)
	@touch $@

%/installed: requirements/dev.lock %/match-installed
	@$(call install,$*,--no-deps --require-hashes -r requirements/dev.lock) || { $(NOT_INSTALLED); }
	@touch $@

NOT_INSTALLED = echo "The packages could not be installed (see above). They come from the Python Package Index or a" \
	"mirror of it: run this again when the network is there."; exit 1

lint: setup
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: setup
	@$(BIN)/mypy

contracts: setup
	@$(BIN)/lint-imports

# Not the bridges, which play one game each: see tests/sample_bots/test_engines.py.
smoke: $(patsubst bots/%/bot.toml,smoke-%,$(filter-out bots/uci-% bots/gtp-%,$(wildcard bots/*/bot.toml)))  ## sample bots play and are checked. Those of kits: see tests/kits

# The interpreter itself, without our packages: `python3` may be a script that looks for it at each start (pyenv).
smoke-%: export PATH := $(shell $(BIN)/python -c 'import sys; print(sys.base_prefix)' 2>/dev/null)/bin:$(PATH)

# Exit status 3 on any fault or warning. With fewer games memory and speed are not checked. Without a model llm-python
# decides at random, of which the check warns.
smoke-%: STRICT = --strict
smoke-llm-python: STRICT =
# It would think for half of its time: its bot.toml is tried by the matches.
smoke-searcher-python: CHECKED = "{python} {kits}/searcher/searcher.py --playouts 4"
smoke-%: CHECKED = bots/$*
smoke-%: setup
	@$(BIN)/referee match bots/$* builtin:random --games 1 --bank 500ms --increment 10ms --time-scale 3 --no-record || exit $$?; \
		check() { $(BIN)/referee bot check $(CHECKED) --quick --games 10 $(STRICT) --move-time 60ms --time-scale 3; }; \
		check || { echo "bots/$*: once more, as a warning about speed may come from what else runs"; check; }

check: test-all lint types contracts smoke wheel-test  ## all checks of CI except new machines and fuzzing

check-all: extras  ## what CI leaves out, about an hour: all games of OpenSpiel, kills, simulations, Pythons, oldest packages
	@.ci/check-all $(BIN)/python

wheel-test: setup  ## install the wheel into an empty environment in another folder, and play there
	@.ci/wheel-test $(BIN)/python

coverage: .venv-coverage/installed .venv-coverage/gym-installed .venv-coverage/dask-installed  ## run all tests and show which lines and branches they reach
	@.ci/coverage .venv-coverage/bin/python $(ARGS)

# Each gets a separate virtual environment, .venv-VERSION, which is kept.
PYTHONS ?= 3.11 3.12 3.13 3.14
test-all-pythons:  ## run the quick tests on every installed Python of PYTHONS
	@QUICK="$(QUICK)" ARGS="$(ARGS)" .ci/test-all-pythons $(PYTHONS)

test-oldest: .venv-oldest/installed  ## run the quick tests with the oldest packages that pyproject.toml allows
	@.venv-oldest/bin/python $(PIP) $$(.venv-oldest/bin/python .ci/oldest)
	@.ci/tests .venv-oldest/bin/python -n auto --dist loadgroup -m "$(QUICK)" $(ARGS)

SECONDS = 60
fuzz: $(VENV)/fuzz-installed  ## fuzz every parser, for SECONDS in total; SOME="--some 3": only so many parsers
	@$(BIN)/python -m tests.fuzz run --seconds $(SECONDS) $(SOME)

$(VENV)/fuzz-installed: requirements/fuzz.lock $(VENV)/installed
	@$(call install,$(VENV),--no-deps --require-hashes --only-binary atheris -r requirements/fuzz.lock) \
		|| { echo "make fuzz needs Atheris, which can't be installed here (see above). It comes for Linux on x86-64 and" \
		"Python 3.11 to 3.13. Without it, make test ARGS=tests/fuzz runs the same targets on their corpus."; exit 1; }
	@touch $@

SEED = 1
COUNT = 150
mutants: setup  ## put single faults into a copy of the product, and show those that no test finds; SEED and COUNT: the sample
	@nice -n 10 $(BIN)/python -m tests.mutants --seed $(SEED) --count $(COUNT)

open-spiel: $(VENV)/open-spiel-installed  ## install OpenSpiel into the virtual environment

test-open-spiel: $(VENV)/open-spiel-installed  ## the tests with the games of OpenSpiel, all of which are played
	@.ci/tests $(BIN)/python -n auto --dist loadgroup tests/adapters $(ARGS)

open-spiel-table: $(VENV)/open-spiel-installed  ## write the table of games in docs/games/open-spiel.md
	@$(BIN)/python -m tests.adapters.open_spiel_table

$(VENV)/open-spiel-installed: requirements/openspiel.lock $(VENV)/installed
	@$(call install,$(VENV),--no-deps --require-hashes -r requirements/openspiel.lock) \
		|| { echo "OpenSpiel can't be installed here (see above). It comes for Linux and macOS."; exit 1; }
	@touch $@

test-gym: $(VENV)/gym-installed  ## test the environments for learners, and the export as Parquet
	@.ci/tests $(BIN)/python -n auto --dist loadgroup tests/gyms tests/cli/test_record_export.py $(ARGS)

bench-gym: $(VENV)/gym-installed  ## measure the environments for learners, beside the classics of PettingZoo
	@$(BIN)/python $(PIP) pygame chess
	@$(BIN)/python -m tests.bench.gyms $(ARGS)

%/gym-installed: requirements/gym.lock %/installed
	@$(call install,$*,--no-deps --require-hashes -r requirements/gym.lock)
	@touch $@

# The browser's part of the pages. Users need no Node: the bundle is committed.
BROWSER := referee/pages/browser
pages: $(BROWSER)/node_modules  ## check and test the sources of the pages' script, and bundle them
	@cd $(BROWSER) && node_modules/.bin/tsc && node build.mjs --tests && node build.mjs ../bundle

pages-check: $(BROWSER)/node_modules  ## the same without writing; fails if the committed bundle differs
	@cd $(BROWSER) && node_modules/.bin/tsc && node build.mjs --tests && node build.mjs node_modules/.bundle && \
		{ diff -rq node_modules/.bundle ../bundle || { echo "The bundle isn't that of the sources: make pages"; exit 1; }; }

$(BROWSER)/node_modules: $(BROWSER)/package-lock.json
	@cd $(BROWSER) && npm ci --silent --ignore-scripts --no-audit --no-fund
	@touch $@

test-browser: $(VENV)/browser-installed $(BROWSER)/node_modules  ## test the wheel's pages in chromium; CHROMIUM=/path if not found
	@.ci/browser-tests $(BIN)/python $(ARGS)

test-mcp: $(VENV)/mcp-installed  ## test the seat as an MCP server with the client of the SDK
	@.ci/tests $(BIN)/python tests/sample_bots/test_mcp.py $(ARGS)

$(VENV)/mcp-installed: requirements/mcp.lock $(VENV)/installed
	@$(call install,$(VENV),--no-deps --require-hashes -r requirements/mcp.lock)
	@touch $@

screenshots: $(VENV)/browser-installed  ## pictures of pages at three sizes, light and dark, to look at; ARGS="FILE.html http://… …"
	@$(BIN)/python -m tests.browser.screenshots $(ARGS)

contact-sheet: $(VENV)/browser-installed  ## a middle position of every game, light and dark; ARGS="NAME …" for some
	@$(BIN)/python -m tests.browser.contact_sheet $(ARGS)

%/dask-installed: requirements/dask.lock %/installed
	@$(call install,$*,--no-deps --require-hashes -r requirements/dask.lock)
	@touch $@

$(VENV)/browser-installed: requirements/browser.lock $(VENV)/installed
	@$(call install,$(VENV),--no-deps --require-hashes -r requirements/browser.lock)
	@touch $@

bench: setup  ## measure the referee against a bare C referee, and the rules engines
	@$(BIN)/python -m tests.bench $(ARGS)

# For `simulate`: ARGS="--runs 100 --tiers 100": fewer tournaments per row; ARGS="--runs 0 --seats 2 --deals 7": only these
# rows of two tiers; ARGS="--collusion 150": the gains of colluding bots; ARGS="--pairings 1": how long pairing takes.
crash: setup  ## kill the referee at random moments of tournaments of every format, and resume; ARGS="--kills 20"
	@$(BIN)/python -m tests.crash $(ARGS)

simulate: setup  ## check ratings and tests with simulated tournaments; BBP=PROGRAM: compare pairings with bbpPairings
	@$(BIN)/python -m tests.simulation $(if $(BBP),--bbp $(BBP) --pairings 2000) $(ARGS)

generate: setup  ## regenerate all generated files (JSON Schema, transcripts, golden files, kits); review the diff
	@$(BIN)/python -m tests.generate
	@$(BIN)/python -m tests.docs.format_examples

# Each but `dev` and `runtime` is installed on top of `dev`, and has only what that lacks.
lock: setup  ## update the files in requirements/ from pyproject.toml
	@$(BIN)/python $(PIP) --require-hashes -r requirements/uv.lock
	@.ci/lock $(BIN)/uv

pictures: setup  ## draw the pictures of the README
	@$(BIN)/python -m tests.docs.pictures

dist: setup  ## build the sdist and the wheel into dist/
	@$(BIN)/python -m hatchling build

clean:
	rm -rf $(VENV) .venv-* .fuzz .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.* build dist
