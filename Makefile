# EIC Lab. `make` alone lists what there is.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV    := .venv
PY      := $(VENV)/bin/python
PYTHON  ?= python3
PORT    ?= 8501
HOST    ?= 127.0.0.1
DIR     ?= build/screenshots
# Tests run in this many processes: four have a browser each and wait half of the time.  With 0 all of
# them run in one.
WORKERS ?= 5
# What Hypothesis draws in a full run.
SEED    := $(or $(SEED),$(shell date +%s))

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# --- set-up: a stamp file per requirements file, so that a second run starts at once ---

$(VENV)/bin/python:
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) was not found; install Python 3.11 or newer" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: Python 3.11 or newer is needed (try make PYTHON=python3.12 …)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "make: could not create $(VENV) (Debian and Ubuntu: apt-get install python3-venv)" >&2; exit 1; }

$(VENV)/.installed: requirements.txt | $(VENV)/bin/python
	@echo "Installing what the app needs (first run, or requirements.txt changed)…"
	@$(PY) .ci/install.py requirements.txt
	@touch $@

# The compiled engine: a few seconds once, with the machine's C compiler or a borrowed one.  Without
# any the app runs all the same, slower, and says so here.
NATIVE := $(wildcard $(addprefix eic_core/,engine/native/*.[chp]* operators/*.py engine/doubt.py engine/edges.py))
$(VENV)/.native: $(NATIVE) | $(VENV)/.installed
	@if $(PY) -m eic_core.engine.native.build --borrow; then touch $@; fi

$(VENV)/.installed-test: requirements.txt requirements-dev.txt requirements-test.txt | $(VENV)/.installed
	@echo "Installing what the tests need…"
	@$(PY) .ci/install.py requirements-test.txt
	@touch $@

$(VENV)/.installed-docs: requirements-docs.txt | $(VENV)/.installed-test
	@echo "Installing what the site needs…"
	@$(PY) .ci/install.py requirements-docs.txt
	@touch $@

.PHONY: chromium compilers
chromium:
	@.ci/chromium
compilers: chromium # one apt-get at a time
	@.ci/compilers

# --- what people run ---

STREAMLIT := $(VENV)/bin/streamlit run app.py --server.headless true

.PHONY: run
run: $(VENV)/.installed $(VENV)/.native ## Open the inspector and a demo study on http://127.0.0.1:8501 (PORT=… for another port)
	@.ci/open-browser "http://127.0.0.1:$(PORT)" & \
	EIC_LAB_DEMO=1 exec $(STREAMLIT) --server.address 127.0.0.1 --server.port $(PORT)

.PHONY: serve
serve: $(VENV)/.installed $(VENV)/.native ## Serve real studies (HOST=…, PORT=…, DATABASE_URL=…); the first start prints a set-up link
	@exec $(STREAMLIT) --server.address $(HOST) --server.port $(PORT)

.PHONY: test
test: ## Lint, then doctests, unit, property, page and browser tests
	@$(MAKE) --no-print-directory -j4 compilers $(VENV)/.native lint
	@$(PY) -m pytest -p tests.side_by_side --workers $(WORKERS) $(ASK)

.PHONY: test-outside
test-outside: $(VENV)/.installed-test $(VENV)/.native ## The tests that need the outside sample (../shared, or EIC_LAB_OUTSIDE=…)
	@$(PY) -m pytest -q -m outside

.PHONY: test-full
test-full: $(VENV)/.installed-docs ## The same claims on all their examples, simulations and trees: before a release (SEED=…)
	@echo "make: these draws come again with make test-full SEED=$(SEED)"
	@EIC_LAB_TESTS=full $(MAKE) --no-print-directory test ASK="$(ASK) --hypothesis-seed=$(SEED)"

# The linters run side by side (in as many jobs as make has, if it was told): mypy takes a minute, all
# others together less.  Each says what it finds before any is asked to stop.
LINTERS := lint-rules lint-format lint-types lint-imports lint-docstrings
.PHONY: lint $(LINTERS)
lint: $(VENV)/.installed-test ## Rules, format, types, imports, docstrings; how the size changed since the release
	@$(MAKE) --no-print-directory --keep-going --output-sync=target \
		$(if $(findstring jobserver,$(MAKEFLAGS)),,-j4) $(LINTERS)
	@$(PY) -m tools.size

lint-rules:
	@$(VENV)/bin/ruff check --quiet .
lint-format:
	@$(VENV)/bin/ruff format --check --quiet . || { echo "make: the files above are not formatted: run $(VENV)/bin/ruff format" >&2; exit 1; }
lint-types:
	@$(VENV)/bin/mypy
lint-imports:
	@$(VENV)/bin/lint-imports --no-logo
lint-docstrings:
	@$(VENV)/bin/pydoclint eic_core study db pages tools

# NO_MKDOCS_2_WARNING: Material's notice of its successor (ADR 0029) is no warning of ours.
MKDOCS := NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs
.PHONY: docs docs-serve
docs: $(VENV)/.installed-docs $(VENV)/.native ## Build the site from docs/ into build/site; a broken link or a warning fails
	@$(MKDOCS) build --strict && echo "wrote build/site: open build/site/index.html"

docs-serve: $(VENV)/.installed-docs $(VENV)/.native ## Serve the site on http://127.0.0.1:8000, anew after each change
	@$(MKDOCS) serve

.PHONY: wheel
wheel: ## Build the wheel, with the engine for every Linux since glibc 2.17, and the sdist, into dist/
	@$(PYTHON) tools/wheel.py

# Elsewhere, so that nothing of the checkout is imported in its stead.
.PHONY: try-wheel
try-wheel: ## Install the newest wheel of dist/ in a fresh environment and say which engine it runs (PYTHON=…)
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; wheel=$$(ls -t "$$PWD"/dist/*.whl | head -1); \
	$(PYTHON) -m venv "$$folder/venv"; cd "$$folder"; \
	venv/bin/python -m pip install --quiet --disable-pip-version-check "$$wheel"; \
	venv/bin/python -c 'import platform, eic_core, eic_core.engine.native.library as native; \
	print("eic-lab", eic_core.__version__, "on Python", platform.python_version() + ", engine:", "compiled" if native.library() else "NumPy")'; \
	venv/bin/eic inspect "10000*x - 9999*x" --range x=0.1:10

.PHONY: size
size: $(VENV)/.installed-test ## How large each folder is, and what is wider than kept; rooms, what is long (ASK=--rooms, --long)
	@$(PY) -m tools.size $(ASK)

.PHONY: messages
messages: ## Write eic_core/locale/eic-lab.pot: every text for readers, for a translator
	@$(PYTHON) tools/messages.py

# What requirements.txt comes to today, in an environment of its own; written once it all installed.
.PHONY: lock
lock: ## Write requirements.lock: the versions that requirements.txt comes to today
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	$(PYTHON) -m venv "$$folder/venv"; pip="$$folder/venv/bin/python -m pip --disable-pip-version-check"; \
	$$pip install --quiet -r requirements.txt; \
	{ echo "# Written by make lock from requirements.txt, for $$($(PYTHON) -c 'import sys; print("Python %d.%d" % sys.version_info[:2])') or newer."; \
	  $$pip freeze --exclude pip --exclude setuptools; } > "$$folder/lock"; \
	cp "$$folder/lock" requirements.lock; echo "wrote requirements.lock"

# A package that the advisories do not name is a failure too: it was not audited.
.PHONY: audit
audit: ## Whether a version of requirements.lock has a published fault (asks PyPI's advisories)
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; $(PYTHON) -m venv "$$folder"; \
	"$$folder/bin/python" -m pip install --quiet --disable-pip-version-check 'pip-audit>=2.10,<3'; \
	"$$folder/bin/pip-audit" --strict --no-deps --disable-pip --progress-spinner off -r requirements.lock

# Takes about twice as long as the tests alone; ASK="tests/db" and the like: which tests.
.PHONY: coverage
coverage: $(VENV)/.installed-test $(VENV)/.native ## Which lines the tests run, in all processes: build/coverage/index.html (ASK="tests/db")
	@$(PY) -m pip install --quiet --disable-pip-version-check 'coverage>=7.10,<8'
	@$(PY) -m coverage erase; status=0; \
	$(PY) -m coverage run -m pytest -p tests.side_by_side --workers $(WORKERS) $(ASK) || status=$$?; \
	$(PY) -m coverage combine --quiet; $(PY) -m coverage html --quiet; echo "$$($(PY) -m coverage report --format=total) % of the lines: build/coverage/index.html"; exit $$status

.PHONY: bench
bench: $(VENV)/.installed-test $(VENV)/.native ## Speed of the engine, the pool and the page
	@$(PY) -m benchmarks

.PHONY: load
load: $(VENV)/.installed-test $(VENV)/.native ## What a ballot costs, how many raters one process serves, what they notice of the worst formulas, what memory visits leave (ASK="ballots --raters 10")
	@$(PY) -m benchmarks.load $(ASK)

# ASK="--laws 10 --evals 5000" and the like: what `python -m benchmarks.search_tables --help` lists.
.PHONY: bench-search
bench-search: $(VENV)/.installed-test $(VENV)/.native ## What a search finds with EIC and without: laws, real data (hours; ASK="--laws 10 …")
	@$(PY) -m benchmarks.search_tables $(ASK)

# ASK="--count 5000 --seed 3" and the like: what `python -m benchmarks.fuzz_reading --help` lists.
.PHONY: fuzz
fuzz: $(VENV)/.installed-test $(VENV)/.native ## Whether 100,000 texts are read, written and read back as the same tree (minutes; ASK="--seed 3")
	@$(PY) -m benchmarks.fuzz_reading $(ASK)

# ASK="--suite library --forms" and the like: what `python -m benchmarks.repairs --help` lists.
.PHONY: bench-repair
bench-repair: $(VENV)/.installed-test $(VENV)/.native ## How far repair comes on collected cases, Herbie's figures beside (ASK="--suite hamming")
	@$(PY) -m benchmarks.repairs $(ASK)

# ASK="--count 200 --seed 5000" and the like: what `python -m tests.audit.repaired --help` lists.
.PHONY: audit-repair
audit-repair: $(VENV)/.installed-test $(VENV)/.native ## Whether 1,000 random repairs are what they say, at 200 digits (an hour; ASK="--count 200")
	@$(PY) -m tests.audit.repaired $(ASK)

.PHONY: security
security: $(VENV)/.installed-test $(VENV)/.native ## What strangers and faults of the machine meet, tried on a real server
	@EIC_LAB_TESTS=full $(PY) -m pytest -q -s tests/e2e/test_doors.py

.PHONY: validate-statistics
validate-statistics: $(VENV)/.installed ## Coverage and size of all that a report prints, threats on planted defects (10 minutes; STUDIES=…)
	@$(PY) -m study.statistics.validation $(if $(STUDIES),--studies $(STUDIES))

.PHONY: screenshots
screenshots: $(VENV)/.installed-test $(VENV)/.native chromium ## Photograph every state of the pages into DIR (ASK="--of compare --only pair")
	@$(PY) -m tools.screenshots $(DIR) $(ASK)

# DATABASE_URL says which database; without it, the one that the app uses.
DB := $(PY) -m db $(if $(DATABASE_URL),--database "$(DATABASE_URL)")

.PHONY: backup
backup: $(VENV)/.installed ## Copy the live database to var/backups and check the copy
	@$(DB) backup

.PHONY: restore
restore: $(VENV)/.installed ## Put a backup back (FILE=var/backups/…); keeps what was there
	@test -n "$(FILE)" || { echo "make: say which file: make restore FILE=var/backups/…" >&2; exit 2; }
	@$(DB) restore "$(FILE)"

.PHONY: clean
clean: ## Remove the environment and everything that was built (not var: studies live there)
	@rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
