# One task runner for people and CI. `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Words added to the command of serve, bench, or to pytest: `make integration ARGS="-k watch"`.
ARGS ?=

# What serves alone; the stamp of setup stands on it, and adds the tools.
RUNTIME_STAMP := $(VENV)/.stamp-runtime
SETUP_STAMP := $(VENV)/.stamp
CODEGEN_STAMP := .venv-codegen/.stamp
PROTOS := $(wildcard proto/skillsource/v1/*.proto)
# Tests that need the client alone, run with the oldest and the newest gRPC and protobuf it supports.
CLIENT_TESTS := clients/python/tests

##@ Everyday

.PHONY: help
help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: setup
setup: $(SETUP_STAMP) ## Make the virtual environment .venv with the server, the client and all tools

.PHONY: serve
serve: $(RUNTIME_STAMP) ## Serve examples/skills on 127.0.0.1:50051, with state in .skillsvc-data (ARGS=... is added)
	$(BIN)/skillsvc serve --skills-dir examples/skills --data-dir .skillsvc-data --listen 127.0.0.1:50051 $(ARGS)

.PHONY: fix
fix: setup ## Format and apply the linter's safe fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: gen
gen: $(CODEGEN_STAMP) ## Write all generated code from proto/
	.venv-codegen/bin/python clients/codegen/generate.py

##@ Tests

.PHONY: check
check: format-check lint types layers buf unit property-quick ## All quick checks, under two minutes

.PHONY: test
test: check gen-check docs-check breaking integration property test-clients wheels ## Everything CI demands

.PHONY: format-check
format-check: setup ## Fail where the formatter would change something
	$(BIN)/ruff format --check .

.PHONY: lint
lint: setup ## The linter
	$(BIN)/ruff check .

.PHONY: types
types: setup ## Check the types
	$(BIN)/mypy

.PHONY: layers
layers: setup ## Fail where an import points the wrong way
	$(BIN)/lint-imports

.PHONY: buf
buf: setup ## Lint the contract, and its format
	$(BIN)/buf lint
	$(BIN)/buf format --diff --exit-code

.PHONY: unit
unit: setup ## Tests of single modules, and of what is written about them
	$(BIN)/pytest -q -n auto -m "not integration and not property" $(ARGS)

.PHONY: property-quick
property-quick: setup ## Property tests with few examples
	$(BIN)/pytest -q -n auto -m "property and not integration" --hypothesis-profile=quick $(ARGS)

.PHONY: property
property: setup ## Property tests with many examples
	$(BIN)/pytest -q -n auto -m property --hypothesis-profile=thorough $(ARGS)

.PHONY: integration
integration: setup tools ## Tests with a real server
	$(BIN)/pytest -q -n auto -m integration --hypothesis-profile=quick $(ARGS)

.PHONY: tools
tools: ## The programs of others that the integration tests talk to; installed where that is possible
	.ci/tools

.PHONY: coverage
coverage: setup tools ## Branches reached by all tests: 100 % of the core, 90 % of the whole
	$(BIN)/pytest -q --cov --cov-report= $(ARGS)
	$(BIN)/coverage report --fail-under=100 --include='skillsvc/domain/*,skillsvc/parsing/*,skillsvc/catalog/diff.py,skillsvc/catalog/listing.py'
	$(BIN)/coverage report --fail-under=90

.PHONY: conformance
conformance: setup ## The vectors that all clients share
	$(BIN)/pytest -q tests/conformance $(ARGS)

.PHONY: test-clients
test-clients: .venv-client-floor/.stamp .venv-client-newest/.stamp ## The client alone, with the oldest and newest libraries it supports
	.venv-client-floor/bin/pytest -q $(CLIENT_TESTS) $(ARGS)
	.venv-client-newest/bin/pytest -q $(CLIENT_TESTS) $(ARGS)

.PHONY: wheels
wheels: setup ## Build the wheels and start the server from them
	PYTHON="$(PYTHON)" .ci/wheels

.PHONY: gen-check
gen-check: $(CODEGEN_STAMP) ## Fail when generated code differs from what proto/ gives
	.venv-codegen/bin/python clients/codegen/generate.py --check

.PHONY: docs-check
docs-check: setup ## Fail when a generated page differs from what the settings give
	$(BIN)/python docs/generate.py --check

.PHONY: breaking
breaking: setup ## Fail when the contract breaks what main promises
	.ci/breaking

##@ More

.PHONY: bench
bench: setup ## Measure the figures of docs/performance.md: some fifteen minutes, or ARGS="F1 F2"; installs h2load where it can
	@command -v h2load >/dev/null || .ci/debian-packages nghttp2-client || echo "The load comes from our own client." >&2
	$(BIN)/python -m benchmarks $(ARGS)

.PHONY: docs
docs: setup ## Write the generated pages of docs/
	$(BIN)/python docs/generate.py

.PHONY: pins
pins: setup ## Resolve requirements/ anew from the two pyproject.toml
	.ci/pins

.PHONY: clean
clean: ## Remove everything that make has made
	rm -rf .skillsvc-data .venv .venv-* build dist .coverage* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is older than what it depends on exactly when the environment must be filled again.
# Of the tools, those that build the two packages are needed to install them from here. Compiling is half of the time, and
# most of what is installed is never imported; tests have all compiled, since to them a warning of a compiler is an error.
$(RUNTIME_STAMP): requirements/runtime.txt requirements/dev.txt pyproject.toml clients/python/pyproject.toml
	@echo "Installing server and client into $(VENV), this once: up to a minute or so"
	@.ci/venv $(VENV) "$(PYTHON)"
	@$(BIN)/pip install --quiet --no-compile --requirement requirements/runtime.txt --constraint requirements/dev.txt \
	  editables hatchling
	@$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable clients/python --editable .
	@touch $@

$(SETUP_STAMP): $(RUNTIME_STAMP)
	@echo "Installing the tools of development into $(VENV)"
	@$(BIN)/pip install --quiet --requirement requirements/dev.txt
	@$(BIN)/python -W ignore -m compileall -qq -j 0 $(VENV)/lib || true
	@touch $@

$(CODEGEN_STAMP): requirements/codegen.txt
	.ci/venv .venv-codegen "$(PYTHON)"
	.venv-codegen/bin/pip install --quiet --requirement $<
	touch $@

.venv-client-%/.stamp: requirements/client-%.txt clients/python/pyproject.toml
	.ci/venv .venv-client-$* "$(PYTHON)"
	.venv-client-$*/bin/pip install --quiet --requirement $<
	.venv-client-$*/bin/pip install --quiet --no-deps --no-build-isolation --editable clients/python
	touch $@
