"""Add what a measured command printed to its run: a bus bandwidth or a TTFT beside telemetry and environment.

`collectors run --save-stdout` saves the output of any command. If a format recognises it, its results become
parts of the run, with the factors of the run and their own. Telemetry and the wall time are about the whole
command, and stay with the run itself. A run that recorded steps keeps these as its only evidence.
"""

from collections.abc import Iterator
from dataclasses import replace

from reportgen.core.model import Finding, Run
from reportgen.core.rules import Rule
from reportgen.formats.base import Format, Results
from reportgen.formats.detection import offer
from reportgen.sources.logfiles import LogFiles


def with_printed_results(format: Format, files: LogFiles, items: Results) -> Iterator[Run | Finding]:
    """Yield what a format read, and after a run without steps the results in its output."""
    for item in items:
        printed = _printed(format, files) if isinstance(item, Run) and not item.series else []
        runs = [each for each in printed if isinstance(each, Run) and (each.aggregates or each.series)]
        if not isinstance(item, Run) or not runs:
            yield item
            continue
        yield replace(item, part_of=1)
        for number, run in enumerate(runs, 1):
            yield _part(item, run, number)
        yield from (replace(each, subject=item.id) for each in printed if isinstance(each, Finding))


def _printed(format: Format, files: LogFiles) -> list[Run | Finding]:
    """Return what another format reads in the output that a run folder has, [] if none recognises it."""
    if not format.output or format.output not in files:
        return []
    try:
        claimed = offer(files.file(format.output))
        return list(claimed.format.read(claimed.files)) if claimed and not claimed.quoted_in else []
    except OSError:  # the run does not depend on its output
        return []


def _part(run: Run, printed: Run, number: int) -> Run:
    """Return printed results as a part of a run; what the run says of itself wins over what was printed."""
    id = f"{run.id}#{number}"
    differing = [
        f"{name} is {run.factors[name]} in the run and {value} in its output"
        for name, value in printed.factors.items()
        if name in run.factors and str(run.factors[name]) != str(value)
    ]
    conflicts = [
        Finding("warning", Rule.READ_LABEL_CONFLICT, id, f"{text}: the run's own is used", printed.source)
        for text in differing
    ]
    findings = (*(replace(each, subject=id) for each in printed.findings), *conflicts)
    return replace(
        run,
        id=id,
        factors={**printed.factors, **run.factors},
        environment={**printed.environment, **run.environment},
        status=printed.status if run.status == "complete" else run.status,
        samples_per_step=printed.samples_per_step if run.samples_per_step is None else run.samples_per_step,
        series=printed.series,
        aggregates=printed.aggregates,
        telemetry=(),
        findings=findings,
        part_of=1,
    )
