"""One report built by hand that shows everything a page can hold, for the tests of rendering.

Two frameworks on 1 and 8 devices, throughput with speed-ups; one case out of memory, one planned,
one of a single published figure; a two-level phase table with a unit per cell.
"""

import math
from collections.abc import Callable
from unittest.mock import patch

from reportgen.compare.comparison import Comparison
from reportgen.compare.expected_speed import Expected, SpeedEdge
from reportgen.compare.side import side_of
from reportgen.core.model import Case, Factors, Finding, Measurement, Run, Source, Summary, Window
from reportgen.core.rules import Rule
from reportgen.core.units import Unit
from reportgen.document import model
from reportgen.document.model import Environment, FigureKind, Header, Label, Note, Provenance
from reportgen.render import render_document
from reportgen.render.figures.svg import drawing
from reportgen.report.document import document_of_tables, make_document
from reportgen.report.step_files import step_files_of
from reportgen.tables.results import Cell, Figure, FigureSeries, Report, Table
from tests.drawn_once import drawn_once

RATE = Unit("images/s", "samples/s", 1.0)
RATIO = Unit("ratio", "ratio", 1.0)
MS = Unit("ms", "s", 1e-3)
US = Unit("us", "s", 1e-6)

GAP = Finding(
    "warning", Rule.PROTOCOL_GAP, "oneflow/8/r2", "2.5 s left out of the window", Source("logs/a/r2.log", 7)
)


def case(
    value: float,
    factors: Factors,
    *,
    metric: str = "throughput",
    unit: str = "samples/s",
    phase: str = "step",
    repeats: int = 3,
) -> Case:
    """Return a case with repeats at value - 0.01 %, value and value + 0.01 %."""
    name = "-".join(str(v) for v in factors.values())
    steps = [(r - repeats // 2) * 1e-4 for r in range(repeats)]
    measurements = tuple(
        Measurement(
            Run(f"{name}/r{r}", "native", Source(f"logs/{name}/r{r}/run.json"), factors, repeat=r),
            value * (1 + step),
            "steps",
            Window(21, 120, 100, 32.0, 0.0, 3200.0),
            (Source(f"logs/{name}/r{r}/steps.rank0.csv", 22),),
            (GAP,) if r == 2 else (),
        )
        for r, step in enumerate(steps, start=1)
    )
    low, high = value * (1 + steps[0]), value * (1 + steps[-1])
    coverage = 1 - 2 * 0.5**repeats if repeats > 1 else 0.0
    summary = Summary(value, low, high, coverage, coverage >= 0.95, repeats)
    return Case(factors, metric, phase, unit, "20+100x7", measurements, summary)


def failed(factors: Factors) -> Case:
    run = Run("oom/r1", "native", Source("logs/oom/r1/run.json"), factors, status="out_of_memory")
    return Case(factors, "throughput", "step", "samples/s", "20+100x7", (), None, (run,))


def number(case: Case, **more: object) -> Cell:
    assert case.summary
    return Cell("number", case.summary.median, RATE, case.summary.low, case.summary.high, case=case, **more)


def speedup(case: Case, baseline: Case) -> Cell:
    assert case.summary
    assert baseline.summary
    ratio = case.summary.median / baseline.summary.median
    comparison = Comparison("speedup", side_of(case), side_of(baseline), ratio)
    return Cell("number", ratio, RATIO, case=case, comparison=comparison)


_CORRECTED = Note("Corrected from 39.76 to 397.6: a digit was lost.", Rule.READ_CORRECTED_FIGURE)
_GAP = Note("2.5 s left out of the window of repeat 2.", Rule.PROTOCOL_GAP)
_VARIES = Note("batch_size varies (16, 32): add it to `where`, `rows` or `columns`.")


def by_name(*notes: Note) -> dict[str, Note]:
    """Return the notes of a table by name."""
    return {note.key: note for note in notes}


def throughput_table() -> Table:
    one = {
        name: case(value, {"framework": name, "devices": 1})
        for name, value in (("OneFlow", 397.6), ("NGC PyTorch", 394.0))
    }
    eight = {
        "OneFlow": case(3124.25, {"framework": "OneFlow", "devices": 8}),
        "NGC PyTorch": failed({"framework": "NGC PyTorch", "devices": 8}),
    }
    ngc, xla = Label("NGC PyTorch", "https://ngc.nvidia.com/?a=(b)"), ("bsz=224", "w/XLA")
    columns = tuple(
        Header((name,), (label,), qualifiers, quantity, quantity_label)
        for name, label, qualifiers in (("OneFlow", Label("OneFlow"), ()), ("NGC PyTorch", ngc, xla))
        for quantity, quantity_label in (("value", "images/s"), ("speedup", "speed-up"))
    )
    oom = Cell("status", text="out of memory", case=eight["NGC PyTorch"])
    cells = (
        (
            number(one["OneFlow"], notes=(_CORRECTED.key,)),
            speedup(one["OneFlow"], one["OneFlow"]),
            number(one["NGC PyTorch"]),
            speedup(one["NGC PyTorch"], one["NGC PyTorch"]),
        ),
        (
            number(eight["OneFlow"], notes=(_CORRECTED.key, _GAP.key)),
            speedup(eight["OneFlow"], one["OneFlow"]),
            oom,
            Cell("absent"),
        ),
        (Cell("planned", text="planned"), Cell("absent"), Cell("absent"), Cell("absent")),
    )
    return Table(
        "fp32-b128",
        "FP32, batch size 128 per device",
        "throughput",
        "Throughput",
        ("nodes", "devices"),
        (Label("Nodes"), Label("Devices")),
        ("framework",),
        tuple(
            Header((nodes, devices), (Label(str(nodes)), Label(str(devices))))
            for nodes, devices in ((1, 1), (1, 8), (4, 32))
        ),
        columns,
        cells,
        by_name(_CORRECTED, _GAP),
        "table",
        RATE,
        4,
        None,
        (Note("Throughput in images/s, median of 3 repeats, protocol 20+100x7.", name="measure"),),
    )


def phase_table() -> Table:
    def time(value: float, phase: str, device: str, unit: Unit, repeats: int = 1) -> Cell:
        one = case(
            value,
            {"model": "DARNN", "device": device},
            metric="step_time",
            unit="s",
            phase=phase,
            repeats=repeats,
        )
        return Cell("number", value, unit, case=one)

    columns = tuple(
        Header((phase, device), (Label(phase.capitalize()), Label(device)))
        for phase in ("forward", "backward")
        for device in ("CPU", "GPU")
    )
    cells = (
        (
            time(0.0123, "forward", "CPU", MS),
            time(0.000456, "forward", "GPU", US),
            time(0.0345, "backward", "CPU", MS),
            Cell("several", text="several", notes=(_VARIES.key,)),
        ),
    )
    return Table(
        "phases/DARNN",
        "Phases of DARNN",
        "step_time",
        "Step time",
        ("model",),
        (Label("Model"),),
        ("phase", "device"),
        (Header(("DARNN",), (Label("DARNN"),)),),
        columns,
        cells,
        by_name(_VARIES),
        "cell",
        None,
        3,
        None,
        (Note("Median step time.", name="measure"),),
        facet=(("family", "recurrent"),),
    )


def figures() -> tuple[Figure, ...]:
    x = (1.0, 8.0)
    return (
        Figure(
            "speedup",
            "Speed-up, FP32",
            FigureKind.LINE,
            "Devices",
            "Speed-up",
            RATIO,
            (),
            (
                FigureSeries("OneFlow", x, (1.0, 7.858), (1.0, 7.8), (1.0, 7.9)),
                FigureSeries("NGC PyTorch", x, (1.0, None)),
            ),
            ((1.0, 1.0), (8.0, 8.0)),
        ),
        Figure(
            "bars",
            "Throughput",
            FigureKind.BAR,
            "Devices",
            "Throughput",
            RATE,
            ("1", "8"),
            (FigureSeries("OneFlow", ("1", "8"), (397.6, 3124.25)),),
            alt="OneFlow is 7.858 times as fast",
        ),
    )


def expected() -> Expected:
    holds = (("devices", (4, 8)), ("precision", ("fp32",)), ("xla", (False,)))
    up = SpeedEdge("V100-LS", "V100", 0.67, "JADE user guide", "https://example.org/jade", "2024-02-17")
    down = SpeedEdge("V100", "A40", 1 / 1.0787, "Lambda GPU benchmarks", inverted=True, where=holds)
    return Expected("V100-LS", "A40", 0.67 / 1.0787, 0.6, math.nextafter(0.65, 1), ((up, down),))


PROSE = """The run of OneFlow reaches
{{ value("fp32-b128", row={"devices": 8}, column={"framework": "OneFlow"}) }} images/s,
{{ ratio("fp32-b128", row={"devices": 8}, column={"framework": "OneFlow"}, to_row={"devices": 1}) }} times
as much as on one device; expected of a V100-LS: {{ expected("V100-LS", "A40") }} of an A40.

{{ figure("speedup") }}

## Background

A [link](https://example.org) and `code`.
"""


def report(**changes: object) -> Report:
    fields: dict[str, object] = {
        "name": "resnet50",
        "title": "ResNet-50 v1.5 training throughput",
        "headline": "OneFlow is the fastest at every device count.",
        "headline_place": "",
        "verdict": ("One case ran out of memory.",),
        "run_counts": ("In tables: 6 published results.",),
        "prose": PROSE,
        "prose_source": Source("reports/resnet50.md", 1),
        "tables": (throughput_table(), phase_table()),
        "figures": figures(),
        "expected": (expected(),),
        "environments": (
            Environment("dgx-1", 6, (("GPU", "Tesla V100-SXM2-16GB"), ("Driver", "440.33.01 | 450.51"))),
        ),
        "findings": (
            *(
                Finding("note", Rule.READ_CORRECTED_FIGURE, f"row {i}", "corrected", Source("logs/a.csv", i))
                for i in range(1, 6)
            ),
            GAP,
        ),
        "provenance": (
            Provenance(
                "logs/dlperf", "published", 6, "DLPerf report v1", "https://example.org/v1", "2020-10-01"
            ),
        ),
        "runs": (),
        "protocol": "20+100x7",
        "protocol_text": "Protocol 20+100x7: the first 20 steps are ignored, 100 measured, 7 repeats.",
        "protocols": {"20+100x7": {"warmup": 20, "gap_factor": 10.0, "strict": False, "reduce": "median"}},
    }
    return Report(**(fields | changes))


def document_of(report: Report, source_url: str = "") -> model.Document:
    """Return the document of a report, with its side files named."""
    return make_document(report, step_files_of(report), source_url)


def render_report(
    report: Report,
    read_existing: Callable[[str], bytes | None] | None = None,
    source_url: str = "",
    standalone: bool = False,
) -> dict[str, bytes]:
    """Return the files of a report, as a build writes them."""
    document, side_files = document_of(report, source_url), step_files_of(report)
    if read_existing:
        return render_document(document, side_files, read_existing, standalone=standalone)
    with patch.object(drawing, "up_to_date", drawn_once):
        return render_document(document, side_files, standalone=standalone)


def shown(table: Table) -> tuple[model.Document, model.Table]:
    """Return the document of one table, and the table in it."""
    document = document_of_tables([table])
    return document, document.tables[0]


def figure_of(figure: Figure) -> model.Figure:
    """Return the figure as the document of the example report has it."""
    return document_of(report(figures=(figure,))).figures[0]
