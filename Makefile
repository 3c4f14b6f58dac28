# make demo | check | test | docs | attack-selection | attack | bench | lint | coverage | dist | compat | lock | licences | sbom | clean
# PYTHON=python3.12 chooses another interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TESTED := $(VENV)/.tested
WRITTEN := $(VENV)/.written
DIST := dist
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps
LOCKED := --only-binary :all: --require-hashes -r
PARALLEL := -n auto --dist worksteal
SELECTION := tests/whole/test_attack_selection.py
COMPILING := tests/kernels
SITE := docs/_build docs/_static/pictures docs/_static/plotly.min.js $(addprefix docs/reference/,api commands policies schemas) docs/results

.PHONY: demo check test docs attack-selection attack bench lint format coverage dist compat lock licences sbom clean

# What the product needs, from files whose hashes are known. Then 140 MB that nobody opens go: other packages' own tests, C++ sources
# and headers, Arrow's clients of networks and second copies of a library, maps of minified scripts. Only what is imported becomes byte
# code: all of it is another 200 MB.
$(READY): pyproject.toml requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "paretosched needs Python 3.11 or newer; name one: make PYTHON=python3.12"; exit 2; }
	@echo "setting up $(VENV), once: this takes a minute"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --no-compile $(LOCKED) requirements.txt
	@$(PIP) --no-build-isolation -e .
	@cd $(VENV)/lib/python*/site-packages && find dask numba numpy pandas pyarrow scipy -name tests -type d -prune -exec rm -rf {} + && \
	  rm -rf pyarrow/include pyarrow/*flight.* pyarrow/libarrow_s3.* pyarrow/_s3fs.* pyarrow/libarrow_python*.so pyarrow/*.so.*.*.* && \
	  rm -f pymoo/functions/compiled/*.cpp && find dash -name '*.map' -delete
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -W ignore -c 'import cma, dask.threaded, distributed, kaleido, numba, pandas, plotly.graph_objects, \
	  plotly.subplots, pyarrow.parquet, shtab, scipy.cluster.vq, waitress, paretosched.app.server; numba.njit(lambda: 0)()'
	@touch $@

# What testing and releasing need, too.
$(TESTED): $(READY) requirements-dev.txt
	@echo "installing what tests need into $(VENV), once"
	@$(PIP) $(LOCKED) requirements-dev.txt
	@touch $@

# What the site and a release need, too.
$(WRITTEN): $(TESTED) requirements-docs.txt
	@echo "installing what the site and a release need into $(VENV), once"
	@$(PIP) $(LOCKED) requirements-docs.txt
	@touch $@

# The main job on the built-in workload, from nothing to a report.
demo: $(READY)
	@mkdir -p demo && rm -rf demo/run
	@$(BIN)/paretosched generate lublin --jobs 10000 --processors 128 --seed 71 -o demo/lublin.swf.gz
	@$(BIN)/paretosched explore demo/lublin.swf.gz -o demo/run --evaluations 5000
	@echo
	@$(BIN)/paretosched compare demo/lublin.swf.gz --front demo/run --policy sjf -o demo/report.html

# Before every commit: what the linters see, and the fast tests. Byte code is kept, or pytest rewrites all asserts at every call.
check: lint
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest $(PARALLEL) -q -m "not slow and not traces"

# First those of the kernels, which compile each kernel once: later, a command that a test starts would also compile what a worker is
# compiling. Then one worker more than processors: slow tests often wait for a browser, for Slurm or for processes of their own. Byte code
# is kept, or each of the hundreds of commands that tests start would compile the package again. CI makes the selection of attacks later.
test: $(TESTED)
	@unset PYTHONDONTWRITEBYTECODE; failed=0; $(BIN)/python -m pytest $(PARALLEL) $(COMPILING) || failed=1; \
	  $(BIN)/python -m pytest -n $$(( $$(getconf _NPROCESSORS_ONLN) + 1 )) --dist worksteal --ignore $(SELECTION) --ignore $(COMPILING) || \
	  failed=1; exit $$failed

# The site, into docs/_build/html: offline, every command and notebook in it is run, and a warning is an error. Then its links are checked.
docs: $(WRITTEN)
	@echo "building the site: its commands and notebooks run one after the other; this takes some minutes"
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@$(BIN)/python docs/_site/check_links.py docs/_build/html

# Some 900 attacks of every kind, in about a minute.
attack-selection: $(TESTED)
	@$(BIN)/python -m pytest -q $(SELECTION)

# Some 20,000 attacks; a table of them is written to results/reliability. It takes a quarter of an hour on two cores. `python -m attack --help` has parts of it.
attack: $(TESTED)
	@PYTHONPATH=.:tests $(BIN)/python -m attack

# Every benchmark runs, also after one that missed a goal; then the status is 2.
bench: $(TESTED)
	@missed=0; for words in kernels app search deploy cluster "cluster --store 1000000"; do set -- $$words; name=$$1; shift; \
	  PYTHONPATH=tests $(BIN)/python tests/benchmarks/bench_$$name.py "$$@" || missed=1; done; exit $$missed

lint: $(TESTED)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/oxlint --quiet paretosched
	@$(BIN)/lint-imports

format: $(TESTED)
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

# Kernels run as plain Python here, so that their lines count; the slow tests are left out.
coverage: $(TESTED)
	@NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -q -m "not slow and not traces" -W ignore::RuntimeWarning
	@$(BIN)/coverage report --skip-covered

# The exact versions of everything, with the hashes of all their wheels on all systems.
LOCK := uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header
lock: $(TESTED)
	@$(BIN)/$(LOCK) --extra all -o requirements.txt >/dev/null
	@$(BIN)/$(LOCK) --extra all --extra dev -c requirements.txt -o requirements-dev.txt >/dev/null
	@$(BIN)/$(LOCK) --extra all --extra dev --extra docs --extra release -c requirements-dev.txt -o requirements-docs.txt >/dev/null

# Wheel and source archive in dist/, checked; the wheel installed into a clean environment, where the demonstration and the tests of the
# installed package run from another folder.
dist: $(WRITTEN) sbom
	@rm -rf build $(DIST)/*.whl $(DIST)/*.tar.gz
	@$(BIN)/uv build --quiet --offline --no-build-isolation --python $(BIN)/python --out-dir $(DIST)
	@$(BIN)/python -m twine check --strict $(DIST)/*.whl $(DIST)/*.tar.gz
	@$(BIN)/python release/check_installed.py $(DIST)

# A table: with which versions of Python and numpy it works, and whether their numbers are the same. An hour, if nothing is compiled yet.
compat: $(TESTED)
	@$(BIN)/python release/compatibility.py

# The licence of everything that is installed with the product; of a text the first line that is no copyright.
licences: $(TESTED)
	@$(BIN)/pip-licenses --from=mixed --order=license --format=json \
	  --packages $$(sed -n 's/^\([A-Za-z0-9._-]*\)==.*/\1/p' requirements.txt) | $(BIN)/python -c 'import json, sys; \
	  [print(p["Name"].ljust(20), p["Version"].ljust(12), next(x for x in p["License"].split("\n") if x and "opyright" not in x)) \
	  for p in json.load(sys.stdin)]'

# What the wheel is made to run with, as CycloneDX, beside the wheel.
sbom: $(TESTED)
	@mkdir -p $(DIST)
	@PYTHONWARNINGS=ignore $(BIN)/cyclonedx-py requirements requirements.txt --pyproject pyproject.toml --output-reproducible \
	  -o $(DIST)/paretosched-$$($(BIN)/python -c 'import importlib.metadata as m; print(m.version("paretosched"))').cdx.json

clean:
	@rm -rf $(VENV) demo $(DIST) build $(SITE) *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage*
	@find paretosched tests experiments docs release -name __pycache__ -type d -prune -exec rm -rf {} +
