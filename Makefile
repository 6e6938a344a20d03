# `make demo` and `make test` are the README's two commands; both make the virtual environment first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

.PHONY: install demo test test-llm bench-context check format clean

install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade -c constraints.txt -r requirements.txt
	mkdir -p $(VENV)/checkout
	ln -sfn "$(CURDIR)" $(VENV)/checkout/testwright
	site=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); \
	  echo "$(CURDIR)/$(VENV)/checkout" > "$$site/testwright_checkout.pth"
	touch $@

demo: install
	$(BIN)/python main.py run "unit tests for the shop example" --root examples/shop

test: install
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

# Needs TESTWRIGHT_LLM_BASE_URL, TESTWRIGHT_LLM_MODEL and TESTWRIGHT_API_KEY; records into tests/data/cassettes for CI.
test-llm: install
	$(BIN)/python -m pytest -n 0 tests/llm/any_endpoint.py

# recall@5 of get_codebase_context beside plain grep; fetches the sources of two packages.
bench-context: install
	$(BIN)/python benchmarks/context_search.py

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache .import_linter_cache
