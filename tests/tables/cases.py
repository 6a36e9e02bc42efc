"""Runs for the tests of tables, written in one line each."""

from typing import Any

from reportgen.core.model import Aggregate, Run, Source, Status
from reportgen.protocol import Protocol
from reportgen.tables.spec import TableSpec

_COUNT = iter(range(1, 10**9))


def run(
    *,
    status: Status = "complete",
    samples: float | None = None,
    repeat: int | None = None,
    environment: dict[str, Any] | None = None,
    values: dict[str, float] | None = None,
    throughput: float | None = None,
    memory: float | None = None,
    **factors: Any,
) -> Run:
    """Return a published run: `values` are step times by phase in s, the others single figures."""
    line = next(_COUNT)
    source = Source("logs/x.csv", line)
    figures = [
        Aggregate(
            "step_time", phase=phase, value=value, original=str(value), statistic="published", source=source
        )
        for phase, value in (values or {}).items()
    ]
    if throughput is not None:
        figures.append(
            Aggregate(
                "throughput", value=throughput, original=str(throughput), statistic="published", source=source
            )
        )
    if memory is not None:
        figures.append(
            Aggregate("memory_used", value=memory, original=str(memory), statistic="published", source=source)
        )
    return Run(
        id=f"x.csv#{line:06}",
        format="published",
        source=source,
        factors=factors,
        repeat=repeat,
        environment=environment or {},
        status=status,
        samples_per_step=samples,
        aggregates=tuple(figures),
        published=True,
    )


def spec(**keys: Any) -> TableSpec:
    """Return a table definition entry with the given fields."""
    return TableSpec(
        **{"place": "reports/t.toml: tables[0]", "id": "t", "title": "T", "protocol": Protocol(), **keys}
    )
