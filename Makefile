# One way to run each thing, on a desk and in CI. `make help` lists the targets.
#
# Set-up is part of every target: a stamp file in .venv is older than pyproject.toml or
# constraints.txt, or it is not there, and the packages are installed again.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check -qq
INPUTS := pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.PHONY: help install install-all demo test train-model check check-style check-types check-imports check-coverage clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(VENV)/.stamp-base ## the library and the command line, in .venv

install-all: $(VENV)/.stamp-all ## the same with every extra (Excel files)

demo: install ## match the sample addresses in examples/demo
	@$(BIN)/python examples/demo/run.py

test: $(VENV)/.stamp-dev ## run all tests
	@$(BIN)/python -m pytest

# DATA is the folder of the open lists that MODEL_CARD.md names; WORK takes states and curves.
train-model: $(VENV)/.stamp-dev ## train the packaged models anew: make train-model DATA=FOLDER WORK=FOLDER
	@$(BIN)/python scripts/train_model.py --data "$(DATA)" --work "$(WORK)"

check: check-style check-types check-imports check-coverage ## style, types, import direction, coverage

check-style: $(VENV)/.stamp-dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

check-types: $(VENV)/.stamp-dev
	@$(BIN)/mypy

check-imports: $(VENV)/.stamp-dev
	@$(BIN)/lint-imports

# Text and address are the rooms where one forgotten branch is one wrong address: no branch untested.
check-coverage: $(VENV)/.stamp-dev
	@$(BIN)/python -m pytest tests/text tests/address --quiet \
	    --cov=menpai.text --cov=menpai.address --cov-branch --cov-fail-under=100

clean: ## remove .venv and what the tools left behind
	rm -rf $(VENV) build dist .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

# ---- Set-up --------------------------------------------------------------------------------------

$(VENV)/.stamp-base: $(INPUTS) | $(BIN)/pip
	@echo "setting up $(VENV) (base)"
	@$(PIP) install --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.stamp-all: $(INPUTS) | $(BIN)/pip
	@echo "setting up $(VENV) (all)"
	@$(PIP) install --constraint constraints.txt --editable ".[all]"
	@touch $(VENV)/.stamp-base $@

$(VENV)/.stamp-dev: $(INPUTS) | $(BIN)/pip
	@echo "setting up $(VENV) (dev)"
	@$(PIP) install --constraint constraints.txt --editable ".[dev]"
	@touch $(VENV)/.stamp-base $(VENV)/.stamp-all $@

# Debian and Ubuntu ship python3 without ensurepip: then the pip of the system fills .venv, if it is
# 22.3 or newer (--python), and otherwise the missing package is named.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	    echo "menpai needs Python 3.10 or newer; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 \
	    || { $(PYTHON) -m venv --without-pip $(VENV) \
	        && $(PYTHON) -m pip --python $(BIN)/python install --quiet pip; } >/dev/null 2>&1 \
	    || { echo "No virtual environment could be made. On Debian or Ubuntu: sudo apt-get install -y python3-venv" >&2; \
	        exit 1; }
