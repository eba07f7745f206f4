# `make demo` and `make test` are all that a newcomer needs; both install into .venv first.
# ARGS reaches the command: make demo ARGS="--matches 10", make unit ARGS="-k clocks".

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
JOBS ?= 2
ARGS ?=
LOCK := requirements.lock
# What ARGS leaves out of one of a step's runs is no failure of the step.
NONE_WANTED = [ $$? -eq 5 -a -n "$(ARGS)" ]
BROWSER := $(VENV)/browser


help:
	@echo "make demo       play a rated ladder of the sample bots, with a live table"
	@echo "make test       lint, types, unit, processes, web, kits: each runs alone too"
	@echo "make screenshots every page of a demo as pictures, light and dark, wide and narrow"
	@echo "make setup      .venv with everything Python (both above call it)"
	@echo "make prove      the long bars; BAR=name for one, SMALL=1 for a short run"
	@echo "make format     let ruff put form and imports right"
	@echo "make proto      the protocol's Python and manual, after a change of a .proto file"
	@echo "make dashboards Grafana's JSON, after a change in deploy/grafana"
	@echo "make lock       resolve the dependencies anew"

setup: $(STAMP)
	@:

# The stamp is newer than what it was made from, so an unchanged tree costs nothing.
$(STAMP): pyproject.toml $(LOCK)
	@if ! $(BIN)/python -c '' 2>/dev/null; then \
	  python=""; \
	  for name in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
	    if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$name; break; fi; \
	  done; \
	  if [ -z "$$python" ]; then echo "setup: no Python 3.11 or later found; install one or set PYTHON=" >&2; exit 2; fi; \
	  echo "setup: $(VENV) with $$($$python --version)"; \
	  rm -rf $(VENV); \
	  $$python -m venv $(VENV) || { rm -rf $(VENV); \
	    echo "setup: '$$python -m venv' failed; on Debian: apt-get install python3-venv" >&2; exit 2; }; \
	fi
	@echo "setup: installing what $(LOCK) names"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(LOCK)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

demo: setup
	@$(BIN)/warladder demo $(ARGS)

test: lint types unit processes web kits

lint: setup
	@echo "== lint"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-logo

types: setup
	@echo "== types"
	@$(BIN)/mypy

unit: setup
	@echo "== unit"
	@$(BIN)/python -m pytest -m "not processes and not web and not kits" -n $(JOBS) $(ARGS)

processes: setup
	@echo "== processes"
	@$(BIN)/python -m pytest -m processes tests/processes -n $(JOBS) --dist loadgroup $(ARGS) || $(NONE_WANTED)
	@$(BIN)/python -m pytest -m processes tests/bars $(ARGS) || $(NONE_WANTED)

# The browser's driver is large and nothing else needs it, so it has a lock of its own.
web: setup $(BROWSER)
	@echo "== web"
	@$(BIN)/python -m pytest -m web tests/web $(ARGS)

# The tests build the kits; one whose tools are missing is named and skipped.
kits: setup
	@echo "== kits"
	@$(BIN)/python -m pytest -m kits tests/kits -n $(JOBS) $(ARGS)

# Every page of a demo, light and dark, wide and narrow, for people to look at.
screenshots: setup $(BROWSER)
	@echo "== screenshots"
	@WARLADDER_SCREENSHOTS=$(or $(FOLDER),build/screenshots) $(BIN)/python -m pytest -m web tests/web/test_pages.py $(ARGS)
	@echo "in $(or $(FOLDER),build/screenshots)"

$(BROWSER): $(STAMP) tests/web/requirements.lock
	@echo "setup: installing what tests/web/requirements.lock names"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tests/web/requirements.lock
	@touch $(BROWSER)

prove: setup $(BROWSER)
	@$(BIN)/python -m tests.bars $(if $(BAR),--bar $(BAR)) $(if $(SMALL),--small)

proto: setup
	@$(BIN)/python proto/generate.py
	@$(BIN)/python proto/manual.py

dashboards: setup
	@$(BIN)/python -m deploy.grafana.generate

format: setup
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format --quiet .

lock: setup
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --extra dev --extra uvloop --extra parquet --custom-compile-command "make lock" \
	  --output-file $(LOCK) pyproject.toml
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --constraint $(LOCK) --custom-compile-command "make lock" \
	  --output-file tests/web/requirements.lock tests/web/requirements.in

clean:
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build *.egg-info
