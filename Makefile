# Two commands do all the set-up: `make review` and `make test`. They need Python 3.11+, git and make.
#
#   make review [REVIEW="HEAD~3..HEAD"]   the main job on a real change of this project, embedded servers, no key
#   make test   [ARGS="-k barrier"]       the tests
#   make check                            format, lint, types, import walls, measures of the house: what CI checks
#   make format                           repair what a formatter can repair
#   make bench | make chaos               figures | the long fault matrix with its random nemesis
#   make site | make pictures             the documentation as a site, in build/site | its pictures anew
#   make lock                             recompile the locks (needs uv, and nothing else here does)
#   make clean                            remove .venv and caches

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; exit; }; done; echo python3)
VENV := .venv
BIN := $(VENV)/bin
UV ?= uv

# A commit of this project that had a real defect (an unused import, since mended); in a clone without its history: HEAD.
EXAMPLE := 4750ea8325d34e74b432bd9198fffc716f39e9f7
REVIEW ?= $(shell git rev-parse --quiet --verify $(EXAMPLE)^{commit} >/dev/null 2>&1 && echo $(EXAMPLE) || echo HEAD)
ARGS ?=
# Much of the time tests wait for a server or a process, so four at once pay on two cores.
# Session fixtures (servers) exist once per process; loadscope keeps a module's tests together, in the
# order of tests/conftest.py: the slow ones first, with some that compute between them.
PYTEST_WORKERS ?= 4

PIP_INSTALL := $(BIN)/python -m pip --disable-pip-version-check install --quiet --quiet --no-input
LOCKED := --require-hashes --only-binary :all:
PACKAGES := shared workers orchestrator $(wildcard benchmarks)
MANIFEST := pyproject.toml $(wildcard README.md)

.DEFAULT_GOAL := help
.PHONY: help review test check check-types check-style check-walls check-house format bench chaos site pictures lock clean venv

help:
	@sed -n 's/^#   //p' Makefile

# ---- environment ---------------------------------------------------------------------------------------------------
# A stamp is newer than everything it was installed from. Packages come from the lock, by hash, wheels only;
# the project itself is linked (editable), built with the locked hatchling, so that nothing unlocked is fetched.

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Quorate needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1 || true)." \
			"Name another one: make PYTHON=python3.12" >&2; exit 1; }
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) || { \
		echo "This Python cannot make environments (Debian and Ubuntu ship that apart, as python3-venv)." >&2; exit 1; }
	@touch $@

$(VENV)/.runtime: $(VENV)/.created requirements.lock $(MANIFEST)
	@echo "Installing into $(VENV) (about half a minute the first time) ..."
	@$(PIP_INSTALL) $(LOCKED) -r requirements.lock
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.created requirements-dev.lock $(MANIFEST)
	@echo "Installing into $(VENV) (about half a minute the first time) ..."
	@$(PIP_INSTALL) $(LOCKED) -r requirements-dev.lock
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.runtime

# As pip does with what it installs: where PYTHONDONTWRITEBYTECODE is set, every command would compile our sources
# again, which takes half of the processor time of a short one.
COMPILED := $(BIN)/python -m compileall -q -j 2 $(PACKAGES)

venv: $(VENV)/.dev
	@$(COMPILED)

# ---- work ----------------------------------------------------------------------------------------------------------
# Exit code 8 says that the review is finished and a person must decide: for make that is a good end.
review: $(VENV)/.runtime
	@$(COMPILED)
	@code=0; $(BIN)/quorate review --decide ask $(REVIEW) || code=$$?; \
	if [ $$code -eq 8 ]; then \
		echo "A decision is waiting: $(BIN)/quorate inbox shows it, $(BIN)/quorate decide answers it." >&2; \
		exit 0; \
	fi; \
	exit $$code

# What the many processes would each prepare of the tests is prepared once, too: half of the
# processor time until the first test.
test: $(VENV)/.dev
	@$(COMPILED)
	@$(BIN)/python .ci/prepare_tests.py
	@$(BIN)/pytest -n $(PYTEST_WORKERS) --dist loadscope --no-loadscope-reorder $(ARGS)

# Several at once with `make -j2 check`, as in .ci/run.
check: check-types check-style check-walls check-house

check-types: $(VENV)/.dev
	$(BIN)/mypy $(PACKAGES)

check-style: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

check-walls: $(VENV)/.dev
	$(BIN)/lint-imports --no-cache

check-house: $(VENV)/.dev
	$(BIN)/python .ci/house.py

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev
	@$(BIN)/python benchmarks/run.py $(ARGS)

# Every row of the fault matrix and every seed of the nemesis, and whatever else is slow; one at a time.
chaos: $(VENV)/.dev
	@$(BIN)/pytest -m "chaos or slow" $(ARGS)

# The pages and a reference made from the code. A link that leads nowhere is an error.
site: $(VENV)/.site
	@$(BIN)/python docs/site/build.py

pictures: $(VENV)/.dev
	@$(BIN)/python docs/site/pictures.py

$(VENV)/.site: $(VENV)/.dev docs/site/requirements.lock
	@$(PIP_INSTALL) $(LOCKED) -r docs/site/requirements.lock
	@touch $@

# ---- upkeep --------------------------------------------------------------------------------------------------------
# Universal locks: one file for every platform and Python, versions and hashes, no download addresses.
# A release must have been public for a few days: a poisoned one is mostly found in that time.
LOCK_COOLDOWN ?= 3 days
COMPILE := $(UV) --no-config pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links --exclude-newer "$(LOCK_COOLDOWN)"

lock:
	@command -v $(UV) >/dev/null || { echo "make lock needs uv: make lock UV=/path/to/uv" >&2; exit 1; }
	@$(COMPILE) pyproject.toml --group build --output-file requirements.lock
	@$(COMPILE) pyproject.toml --group dev --constraints requirements.lock --output-file requirements-dev.lock
	@$(COMPILE) --group pyproject.toml:site --constraints requirements-dev.lock --output-file docs/site/requirements.lock

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
