# `make demo` and `make test` are the README's two commands; both make the virtual environment first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := build/lowest
# Processes that run tests. Tests wait for servers, limits and browsers, so two cores are busy with more than two of them.
JOBS ?= 5
# A file's tests share fixtures, so they stay in one process. Files start in the order of their folders: end-to-end first,
# unit last, so that no long file is left for the end. Those marked `waits` start one by one between the others.
PARALLEL = -n $(JOBS) --dist loadfile --no-loadscope-reorder $(UNUSED)
# Plugins that come with what the tests start; no test of ours takes part in them, and each process would load them.
UNUSED = -p no:playwright -p no:benchmark -p no:platformdirs

# Sources of ours that run. Where a machine says not to write bytecode, every process of a test would compile them anew.
COMPILED = $(filter-out build/ docs/ examples/,$(wildcard */)) $(wildcard *.py)

# What installs our dependencies: pip, as a person has configured it. `.ci/run` gives a quicker one.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade

.PHONY: install bytecode demo test test-all test-ci test-unit test-lowest npm-tools test-llm bench bench-quick bench-faults bench-context profile docs contracts picture check format clean bench-planted bench-planted-api bench-planted-e2e bench-planted-playwright bench-planted-jest bench-planted-flows bench-planted-load

install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) -c constraints.txt -r requirements.txt
	mkdir -p $(VENV)/checkout
	ln -sfn "$(CURDIR)" $(VENV)/checkout/testwright
	site=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); \
	  echo "$(CURDIR)/$(VENV)/checkout" > "$$site/testwright_checkout.pth"
	touch $@

bytecode: install
	$(BIN)/python -m compileall -q -j 0 -x 'tests/data/' $(COMPILED)
	$(BIN)/python -m testwright.tests.support.rewritten_bytecode

demo: install
	$(BIN)/python main.py run "unit tests for the shop example" --root examples/shop

# Unit and integration tests, and a dozen end-to-end tests: one for each way in. Each of the parallel processes collects
# all that is named here, so files without such an end-to-end test are not.
SMOKE = $(sort $(shell grep -rl --include='test_*.py' 'mark\.smoke' tests/e2e tests/hostile))
test: bytecode
	$(BIN)/python -m pytest $(PARALLEL) -m "not e2e or smoke" $(SMOKE) tests/integration tests/unit

# Every test there is; also each Python version that the machine has.
test-all: bytecode
	$(BIN)/python -m pytest $(PARALLEL)

# As `test-all`; tests that fail (pytest's code 1, and nothing else) run once more alone. Those that pass then are named: they
# depend on the machine.
test-ci: bytecode
	rm -rf .pytest_cache
	$(BIN)/python -m pytest $(PARALLEL) || { [ $$? -eq 1 ] && $(AGAIN); }

AGAIN = $(BIN)/python -m pytest -n 0 $(UNUSED) --last-failed --last-failed-no-failures=none --maxfail=10 -rfEp

test-unit: bytecode
	$(BIN)/python -m pytest $(PARALLEL) tests/unit

# The lowest versions that pyproject.toml allows: unit tests and one run, in an environment of their own. The unit tests
# take less time than three processes need to import what they test, so one runs them, and leaves the new environment's
# bytecode to the run; that way `make --jobs=2 check test-lowest` also has work for two cores. Assertions are as Python
# has them: to rewrite those of all files for one session takes longer than to run most of them.
test-lowest: export PYTHONDONTWRITEBYTECODE =
test-lowest: bytecode
	$(PYTHON) -m venv --clear $(LOWEST)
	$(BIN)/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct -r requirements.txt
	mkdir -p $(LOWEST)/checkout
	ln -sfn "$(CURDIR)" $(LOWEST)/checkout/testwright
	site=$$($(LOWEST)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); \
	  echo "$(CURDIR)/$(LOWEST)/checkout" > "$$site/testwright_checkout.pth"
	$(LOWEST)/bin/python -m pytest -p no:cacheprovider -p no:xdist $(UNUSED) --assert=plain tests/unit
	rm -rf $(LOWEST)/shop && cp -r examples/shop $(LOWEST)/shop
	$(LOWEST)/bin/python main.py run "unit tests for src/shop/cart.py" --root $(LOWEST)/shop

# The programs from npm that the tests drive, from their lock file; a test that finds none would install them itself.
npm-tools: install
	$(BIN)/python -m testwright.tests.support.mcp.npm_tools

# Needs TESTWRIGHT_LLM_BASE_URL, TESTWRIGHT_LLM_MODEL and TESTWRIGHT_API_KEY; records into tests/data/cassettes for CI.
test-llm: install
	$(BIN)/python -m pytest -n 0 tests/e2e/models/any_endpoint.py

# testwright, Pynguin and the ghostwriter of Hypothesis side by side on twelve modules, in about an hour; fetches their
# sources and makes environments below .bench/. BENCH takes options: make bench BENCH="--only testwright --reuse-peers".
bench: install
	$(BIN)/python -m testwright.benchmarks.generators $(BENCH)

# Two of the modules, with a shorter search for Pynguin, in less than five minutes.
bench-quick: install
	$(BIN)/python -m testwright.benchmarks.generators --quick --name quick $(BENCH)

# Real faults of packages, and which of them tests made from the version after the repair catch in the one before.
# FAULTS takes options: make bench-faults FAULTS="--quick".
bench-faults: install
	$(BIN)/python -m testwright.benchmarks.real_faults $(FAULTS)

# Defects that a seeded operator plants in the example shop, and which of them its integration tests catch.
bench-planted: install
	$(BIN)/python benchmarks/planted_defects.py examples/shop --request "integration tests of the project except shop.api" \
	  --hand benchmarks/planted/shop.json $(PLANTED)

# Faults of named kinds that a seeded operator plants in web applications (a check removed, a filter ignored, a status
# changed), and which of them their API tests notice. PLANTED takes options: make bench-planted-api PLANTED="--only ledger".
bench-planted-api: install
	$(BIN)/python -m testwright.benchmarks.planted_api $(PLANTED)

# Defects like those of bench-planted, for browser tests of its site.
bench-planted-e2e: install
	$(BIN)/python benchmarks/planted_defects.py examples/shop --type e2e --request "browser tests of the shop" \
	  --files web/shop_site.py --count 15 $(PLANTED)

# The same, with tests in TypeScript for Playwright Test.
bench-planted-playwright: install
	$(BIN)/python benchmarks/planted_defects.py examples/shop --type e2e --framework playwright \
	  --request "browser tests of the shop" --files web/shop_site.py --count 15 $(PLANTED)

# Those of its API with tests for Jest.
bench-planted-jest: install
	$(BIN)/python benchmarks/planted_defects.py examples/shop --type api --framework jest \
	  --request "API tests for src/shop/api.py" --files src/shop/api.py --count 12 $(PLANTED)

# Those of a package of scripts, with its integration tests for Jest.
bench-planted-flows: install
	$(BIN)/python benchmarks/planted_defects.py examples/checkout --type integration --framework jest --count 16 $(PLANTED)

# Performance faults in the handlers of its API, noticed by load tests.
bench-planted-load: install
	$(BIN)/python benchmarks/planted_load.py examples/shop --module src/shop/api.py --application shop.api:app $(PLANTED)

# recall@5 of get_codebase_context beside plain grep; fetches the sources of two packages.
bench-context: install
	$(BIN)/python benchmarks/context_search.py

# Where the time of one run goes. PROFILE takes a request and options: make profile PROFILE="--functions".
profile: install
	$(BIN)/python benchmarks/profile_run.py $(PROFILE)

# Pages that are made from what they describe, then the site in build/site; a link or an anchor that leads nowhere fails.
docs: install
	$(BIN)/python -m testwright.tests.support.schema_pages docs/schemas
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The page of contracts, from the code.
contracts: install
	$(BIN)/python main.py contracts > docs/contracts.md

# The README's picture, from a real run on the example shop.
picture: install
	$(BIN)/python -m testwright.tests.support.runs.run_picture docs/run.svg

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyrefly check
	$(BIN)/lint-imports
	$(BIN)/python -m testwright.tests.support.compatible_schemas

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache .import_linter_cache
