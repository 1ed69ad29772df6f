# recollect: `make setup`, `make demo`, `make test`. Needs python3 >= 3.11 and nothing else.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
# uv from the PATH, else one installed in build/: nothing outside this folder changes.
UV := $(shell uv --version >/dev/null 2>&1 && command -v uv || echo build/uv/bin/uv)
BIN := .venv/bin
# Folder of the gold, segmentation and retrieval sets, which are not part of this repository.
BENCH ?= ../shared/bench
STAMP := .venv/.installed
# Where it is set (in many containers), each process of the tests would compile Prefect and its own modules again.
unexport PYTHONDONTWRITEBYTECODE

SITE := build/docs
LOCK = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url

.PHONY: help setup demo test check bench docs lock

help: ## This list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: $(STAMP) ## Create .venv from the hashed lock

demo: $(STAMP) ## The whole pipeline on data/samples, into the fresh folder .demo
	@$(BIN)/python -m recollect.demo

test: $(STAMP) ## All tests
	@$(BIN)/pytest

check: $(STAMP) ## Format, lint, types, import rules
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(STAMP) ## The benchmarks, one JSON line each
	@$(BIN)/python -m benchmarks.speed.ingest --mb 50
	@$(BIN)/python -m benchmarks.distil.planted
	@$(BIN)/python -m benchmarks.speed.recall --observations 20000 --turns 60000
	@$(BIN)/python -m benchmarks.recall.refusals --bench "$(BENCH)" --sessions "$(BENCH)/../sessions/real"
	@if test -d "$(BENCH)"; then $(BIN)/python -m benchmarks.distil.gold --bench "$(BENCH)"; \
	  $(BIN)/python -m benchmarks.recall.gold_recall --bench "$(BENCH)" --sessions "$(BENCH)/../sessions/real"; \
	  $(BIN)/python -m benchmarks.windowing.segmentation; $(BIN)/python -m benchmarks.recall.locomo "$(BENCH)/locomo_dev"; \
	else echo "the quality sets are not at $(BENCH): make bench BENCH=FOLDER" >&2; fi

docs: $(SITE)/.installed ## The documentation site, in build/site
	@$(SITE)/bin/mkdocs build --quiet --strict
	@echo "open build/site/index.html"

lock: | $(UV) ## Both locks again from pyproject.toml (needs a package index)
	@$(LOCK) $(addprefix --extra ,anthropic bundled dask dev mlx multilingual notebook s3) --output-file requirements.lock pyproject.toml
	@$(LOCK) --group docs --output-file requirements-docs.lock

# --no-deps: the lock is complete, and leaves out the unused dependencies of two packages (see pyproject.toml).
$(STAMP): requirements.lock pyproject.toml | $(UV)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"python3 >= 3.11 is needed, this is {sys.version.split()[0]}")'
	@test -x $(BIN)/python || $(UV) venv --quiet --no-python-downloads --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" .venv
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements.lock
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps -e .
	@touch $@

# The tools of the site stay out of .venv.
$(SITE)/.installed: requirements-docs.lock | $(UV)
	@test -x $(SITE)/bin/python || $(UV) venv --quiet --no-python-downloads --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" $(SITE)
	@$(UV) pip install --quiet --python $(SITE)/bin/python --require-hashes -r requirements-docs.lock
	@touch $@

build/uv/bin/uv:
	@$(PYTHON) -m venv build/uv
	@build/uv/bin/python -m pip install --quiet --disable-pip-version-check uv
