# Everything is set up in .venv by the first target that is asked for.
#   make demo      grade a sample class over all assignments but those that train models: some minutes
#   make test      run the everyday tests: under 5 minutes on two cores
#   make thorough  run most other tests: the corpus, attacks, nbgrader, otter, Dask, PostgreSQL, Chromium: under 30 minutes
#   make nightly  run the rarest tests: all rows of attacks as an ordinary user, more seeds, a large run disturbed at 50 moments
#   make gpu       run everything that needs a CUDA device: values, devices, health, speed, cheats of the clock
#   make lint   ruff and mypy
#   make bench  measure (needs a quiet machine and some minutes)
#   make bench-timing  grade the speed of five forms 400 times each, on a quiet and on a busy machine (ten minutes)
#   make build  make assignments/ anew from solutions/
#   make docs   build the pages in docs/ into site/; broken links and anchors are errors

# The first Python of at least 3.11 that is found; or say: make test PYTHON=/path/to/python
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
READY := .venv/.ready

export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: setup demo test thorough nightly gpu lint bench bench-timing build docs clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "attngrade needs Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=/path/to/python"; exit 1; }
	@echo "Setting up .venv; this takes a minute or more, mostly for PyTorch"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev,nbgrader,otter]"
	@touch $@

demo: $(READY)
	@echo "A made-up class. Its mistakes are on purpose: tests/assignments/*/sample_class.toml"
	@rm -rf demo-out/submissions
	@$(BIN)/python -m tests.corpus.sample_class demo-out/submissions
	@set -e; for name in $$(ls demo-out/submissions); do \
		echo; echo "== $$name"; \
		$(BIN)/attngrade grade demo-out/submissions/$$name --assignment $$name --out demo-out/$$name; \
	done; \
	echo; echo "All are graded. Open demo-out/$$name/report/index.html, or: $(BIN)/attngrade show demo-out/$$name dara"

test: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal

# One worker more than processors: some attacks and servers only wait.
thorough: $(READY)
	$(BIN)/python -m pytest -n $$($(BIN)/python -c 'import os; print(1 + (os.cpu_count() or 1))') --dist worksteal -m "thorough and not nightly"

nightly: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal -m nightly

gpu: $(READY)
	$(BIN)/python -m pytest -n auto --maxprocesses 8 -m gpu tests/gpu/test_values.py
	$(BIN)/python -m pytest -m gpu tests/gpu/test_speed.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python tests/bench/bench.py
	$(BIN)/python tests/bench/real_class.py
	$(BIN)/python tests/bench/references.py
	$(BIN)/python tests/bench/scale.py
	$(BIN)/python -m tests.bench.reports
	$(BIN)/python -m tests.bench.watch

bench-timing: $(READY)
	$(BIN)/python tests/bench/timing.py

build: $(READY)
	$(BIN)/attngrade build

docs: $(READY)
	$(BIN)/python -m mkdocs build --strict

clean:
	rm -rf .venv demo-out site
