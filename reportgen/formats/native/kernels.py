"""Read `kernels.rank<R>.csv` of a run that was profiled: which kernels each phase consists of."""

from collections.abc import Iterator

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Finding
from reportgen.core.plain_text import one_line
from reportgen.core.rules import Rule
from reportgen.formats.parsing.damage import Malformed
from reportgen.sources.logfiles import LogFiles

_HEADER = lazy_pattern(r"phase,count,(device|host)_ns,name")
_ROW = lazy_pattern(r"((?:[a-z][a-z0-9_]*)?),([0-9]{1,18}),([0-9]{1,18}),(.+)")
_KINDS = {"device": "kernel", "host": "operator"}
_SHOWN = 3  # kernels of a phase
_MAX_NAME_CHARS = 60


def kernel_notes(files: LogFiles, name: str, run: str, steps: int) -> Iterator[Finding]:
    """Yield a note for each phase in a file, with the kernels that take longest, and what is malformed.

    steps  that were profiled, 0 if unknown; then the times are totals
    """
    header, *lines = files.bytes(name).decode("utf-8", "replace").splitlines() or [""]
    malformed = Malformed(run, files.source(name).path)
    clock = _HEADER.fullmatch(header)
    if clock is None:
        malformed.add(1, "not a header of kernels")
    phases: dict[str, list[tuple[int, int, str]]] = {}
    for number, line in enumerate(lines if clock else (), 2):
        if row := _ROW.fullmatch(line):
            phases.setdefault(row[1], []).append((int(row[3]), number, row[4]))
        else:
            malformed.add(number, "not a row of kernels")
    for phase, kernels in phases.items():
        text = _of_phase(kernels, _KINDS[clock[1]] if clock else "", steps)
        message = f"{phase.replace('_', ' ') or 'outside of phases'}: {text}"
        place = files.source(name, min(number for _, number, _ in kernels))
        yield Finding("note", Rule.READ_PROFILE, run, message, place)
    yield from malformed.findings()


def _of_phase(kernels: list[tuple[int, int, str]], kind: str, steps: int) -> str:
    """Return the sum of the kernels and the longest of them: "8 kernels, 2.1 ms a step: gemm 61 %, ..."."""
    total = sum(duration for duration, *_ in kernels)
    time = total / 1e9 / (steps or 1)
    unit = units.choose([time], "s")
    count = f"{len(kernels):,} {kind}{'s' if len(kernels) > 1 else ''}"
    per = " a step" if steps else ""
    longest = sorted(kernels, key=lambda kernel: -kernel[0])[:_SHOWN]
    shares = [f"{_short(name)} {100 * duration / total:.3g} %" for duration, _, name in longest if total]
    return f"{count}, {units.text(time / unit.factor, digits=3)} {unit.name}{per}: {', '.join(shares)}"


def _short(name: str) -> str:
    name = one_line(name)
    return name if len(name) <= _MAX_NAME_CHARS else f"{name[: _MAX_NAME_CHARS - 3]}..."
