# Everything here sets itself up: the first target that needs it makes .venv and installs the project into it.
#   make demo    takes a small sample folder in and opens it through a real MCP client
#   make test    every test but the long ones
# Choose another interpreter with PYTHON=python3.13, another place with VENV=dir.

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
TESTS ?=
TORTURE_S ?= 3600
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PROGRAMS := $(VENV)/.programs

.PHONY: demo test test-all coverage check format bench torture venv clean
.DELETE_ON_ERROR:

demo: $(STAMP)
	$(BIN)/eyeline demo

test: $(STAMP) $(PROGRAMS)
	$(BIN)/python -m pytest -n $(WORKERS) $(TESTS)

# The whole suite once for each CPython 3.11 or newer found here, each in a virtual environment of its own.
test-all:
	@sh tools/interpreters | while read -r version python; do \
		echo "== Python $$version"; \
		$(MAKE) --no-print-directory test PYTHON="$$python" VENV=".venvs/$$version" </dev/null || exit 1; \
	done

coverage: $(STAMP) $(PROGRAMS)
	$(BIN)/python -m pytest -n $(WORKERS) --cov --cov-report=term $(TESTS)

# An hour and a half on two quiet cores, one process at a time; it says how far it is. No test may take longer than
# TORTURE_S seconds, no single run inside one longer than a minute. TESTS="-k heic" runs a part.
torture: $(STAMP) $(PROGRAMS)
	$(BIN)/python -m pytest -s -m torture -o faulthandler_timeout=$(TORTURE_S) --durations=0 $(TESTS)
	$(if $(TESTS),,HYPOTHESIS_PROFILE=torture $(BIN)/python -m pytest -o faulthandler_timeout=$(TORTURE_S) tests/property)

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	@if [ -f tools/docs.py ]; then $(BIN)/python tools/docs.py --check; fi
	$(BIN)/python -m pytest -n $(WORKERS) tests/meta

format: $(STAMP)
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: $(STAMP)
	$(BIN)/python -m benchmarks

venv: $(STAMP)

$(STAMP): pyproject.toml requirements.lock
	@sh tools/make-venv "$(PYTHON)" "$(VENV)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.lock -e '.[dev]'
	@touch $@

# Programs beside Python that some tests need; what users see works without them.
$(PROGRAMS): tools/debian-packages | $(STAMP)
	@sh tools/debian-packages
	@touch $@

clean:
	rm -rf .venv .venvs build dist eyeline-demo .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage htmlcov
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
