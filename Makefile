# make demo | check | test | attack | bench | lint | coverage | clean        (PYTHON=python3.12 chooses another interpreter)
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PARALLEL := -n auto --dist worksteal

.PHONY: demo check test attack bench lint format coverage clean

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "paretosched needs Python 3.11 or newer; name one: make PYTHON=python3.12"; exit 2; }
	@echo "setting up $(VENV), once: this takes a minute"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,export]'
	@touch $@

# The main job on the built-in workload, from nothing to a report.
demo: $(READY)
	@mkdir -p demo && rm -rf demo/run
	@$(BIN)/paretosched generate lublin --jobs 10000 --processors 128 --seed 71 -o demo/lublin.swf.gz
	@$(BIN)/paretosched explore demo/lublin.swf.gz -o demo/run --evaluations 5000
	@echo
	@$(BIN)/paretosched compare demo/lublin.swf.gz --front demo/run --policy fcfs --policy easy -o demo/report.html

# Before every commit: what the linters see, and the fast tests.
check: lint
	@$(BIN)/python -m pytest $(PARALLEL) -q -m "not slow and not traces"

# One worker more than processors: slow tests often wait for a browser or for processes of their own.
test: $(READY)
	@$(BIN)/python -m pytest -n $$(( $$(getconf _NPROCESSORS_ONLN) + 1 )) --dist worksteal

# Some 20,000 attacks in twenty minutes; results/reliability has the table. `python -m attack --help` has parts of it.
attack: $(READY)
	@PYTHONPATH=.:tests $(BIN)/python -m attack

bench: $(READY)
	@PYTHONPATH=tests $(BIN)/python tests/benchmarks/bench_kernels.py
	@PYTHONPATH=tests $(BIN)/python tests/benchmarks/bench_app.py

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/oxlint --quiet paretosched
	@$(BIN)/lint-imports

format: $(READY)
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

# Kernels run as plain Python here, so that their lines count; the slow tests are left out.
coverage: $(READY)
	@NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -q -m "not slow and not traces" -W ignore::RuntimeWarning
	@$(BIN)/coverage report --skip-covered

clean:
	@rm -rf $(VENV) demo build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage
	@find paretosched tests experiments -name __pycache__ -type d -prune -exec rm -rf {} +
