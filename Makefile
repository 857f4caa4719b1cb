# Everything is set up in .venv by the first target that is asked for.
#   make demo   grade a sample class over all five assignments
#   make test   run the tests: some minutes
#   make thorough  those, every mutant and more seeds: tens of minutes
#   make lint   ruff and mypy
#   make bench  measure (needs a quiet machine and some minutes)
#   make bench-timing  grade the speed of five forms 400 times each, on a quiet and on a busy machine (half an hour)
#   make build  make assignments/ anew from solutions/

# The first Python of at least 3.11 that is found; or say: make test PYTHON=/path/to/python
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
READY := .venv/.ready
TOPICS := bahdanau luong self_attention masking seq2seq

export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: setup demo test thorough lint bench bench-timing build clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "attngrade needs Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=/path/to/python"; exit 1; }
	@echo "Setting up .venv; this takes a minute or more, mostly for PyTorch"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev,nbgrader,otter]"
	@touch $@

demo: $(READY)
	@echo "A made-up class over all five assignments. Its mistakes are on purpose: tests/sample_class/expected.json"
	@set -e; for topic in $(TOPICS); do \
		echo; echo "== $$topic"; \
		$(BIN)/attngrade grade tests/sample_class/$$topic --assignment $$topic --out demo-out/$$topic --case-seconds 2; \
	done
	@echo; echo "All five are graded. Open demo-out/bahdanau/report/index.html, or: $(BIN)/attngrade show demo-out/bahdanau dara"

test: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal

thorough: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "thorough or not thorough"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python tests/bench/bench.py
	$(BIN)/python tests/bench/references.py
	$(BIN)/python tests/bench/scale.py

bench-timing: $(READY)
	$(BIN)/python tests/bench/timing.py

build: $(READY)
	$(BIN)/attngrade build

clean:
	rm -rf .venv demo-out
