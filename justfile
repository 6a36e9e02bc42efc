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

lint:
    .venv/bin/ruff check .
    .venv/bin/ruff format --check .
    .venv/bin/mypy

# take the outputs of failed golden tests for the expected ones
golden:
    find tests -name '*.got' -exec sh -c 'mv "$1" "${1%.got}"' _ {} \;

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
