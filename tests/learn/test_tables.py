"""learn on tables: proposals for tables as people write them are read back with the values written by hand."""

import math
import tomllib
from collections.abc import Mapping

import pytest

from reportgen.core.model import Aggregate, Run
from reportgen.formats.detection import offer
from reportgen.labels.labels_toml import parse, settings
from reportgen.learn.tables import TableProposal, propose_table, why_not
from reportgen.sources.logfiles import LogFiles
from tests.builders import check_valid
from tests.learn.tables_of_people import TABLES, PeoplesTable


def proposed(table: PeoplesTable) -> TableProposal | None:
    """Return what is proposed for a table."""
    view = LogFiles.of({table.file: table.text.encode()}).file(table.file)
    return propose_table(view, table.answers)


def read_with(toml: str, table: PeoplesTable) -> list[tuple[Run, Aggregate]]:
    """Return the numbers that a labels.toml reads from a table."""
    labels = parse(toml.encode(), "")
    files = LogFiles.of({table.file: table.text.encode()}).with_settings({"": settings([labels])})
    claimed = offer(files.file(table.file))
    assert claimed is not None
    assert claimed.format.name == "table"
    items = list(claimed.format.read(claimed.files))
    check_valid(items)
    return [(run, figure) for run in items if isinstance(run, Run) for figure in run.aggregates]


def _is_it(value: tuple[str, float, Mapping[str, object]], run: Run, figure: Aggregate) -> bool:
    metric, number, factors = value
    return (
        figure.metric == metric
        and math.isclose(figure.value, number, rel_tol=1e-9)
        and {name: run.factors.get(name) for name in factors} == factors
    )


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_table_is_learned_and_read_back(table: PeoplesTable) -> None:
    proposal = proposed(table)
    if not table.numbers:
        assert proposal is None
        fact, remedy = why_not(LogFiles.of({table.file: table.text.encode()}).file(table.file)) or ("", "")
        assert all(column in fact for column in table.open)
        assert "docs/how-to/read-a-table.md" in remedy
        return
    assert proposal is not None
    numbers = read_with(proposal.toml, table)
    assert len(numbers) == table.numbers, [(run.factors, figure.metric) for run, figure in numbers]
    for value in table.values:
        assert len([1 for pair in numbers if _is_it(value, *pair)]) == 1, (
            value,
            [(run.factors, figure.metric, figure.value) for run, figure in numbers],
        )
    assert {column for column, _ in proposal.open} == table.open
    assert proposal.read == table.numbers
    assert tomllib.loads(proposal.toml)["table"]["name"] == proposal.name
