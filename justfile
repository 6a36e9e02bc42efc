# Convenience only: everything here is a plain command that works without just.

python := ".venv/bin/python"

# list the recipes
default:
    @just --list

# a virtual environment with everything
setup:
    python3 -m venv .venv
    .venv/bin/pip install --quiet -e '.[test]'

test *options:
    {{ python }} -m pytest {{ options }}

# the tests that take seconds, without those that start processes or train models
quick *options:
    {{ python }} -m pytest -m "not slow" {{ options }}

lint:
    .venv/bin/ruff check .
    .venv/bin/ruff format --check .
    .venv/bin/mypy

# accept what golden tests, generated pages and examples produce now; read the diff before committing it
accept:
    REPORTGEN_ACCEPT=1 {{ python }} -m pytest tests/render tests/test_docs.py tests/test_docs_examples.py

# the documentation site, in site/
docs:
    .venv/bin/zensical build --strict

# the parts of docs/reference/ that repeat the program
docs-reference:
    {{ python }} -m tests.documentation.generated

build:
    .venv/bin/reportgen build reports/

check:
    .venv/bin/reportgen check reports/

ci:
    .ci/run
