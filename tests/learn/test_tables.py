"""learn on tables: proposals for tables as people write them are read back with the values written by hand."""

import json
import math
import re
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.errors import RequestError
from reportgen.core.metrics import METRICS
from reportgen.core.model import Aggregate, Finding, Run, Source
from reportgen.core.rules import Rule
from reportgen.formats.detection import offer
from reportgen.formats.tables import own, own_table
from reportgen.formats.tables.column_words import meaning_of
from reportgen.formats.tables.find_tables import find_tables
from reportgen.formats.tables.interpret import interpret
from reportgen.formats.tables.interpret.questions import OpenQuestion, of_cells, of_doubt, of_unit
from reportgen.formats.tables.interpret.texts import minutes_or_hours, several_numbers
from reportgen.formats.tables.unnamed import with_columns
from reportgen.labels.labels_toml import parse, settings
from reportgen.learn import propose_file
from reportgen.learn.blocks import printed_blocks
from reportgen.learn.folder import propose_tables
from reportgen.learn.printed import printed_results
from reportgen.learn.tables import (
    TableProposal,
    answer_for,
    labels_text,
    propose_each,
    propose_printed,
    propose_table,
    questions,
    why_not,
)
from reportgen.sources.logfiles import LogFiles
from tests.builders import check_valid, write_files
from tests.cli.calling import call, error_of
from tests.conftest import ROOT
from tests.each_of import each_of, each_row
from tests.learn.tables_of_constants import CONSTANTS
from tests.learn.tables_of_contradictions import CONTRADICTIONS
from tests.learn.tables_of_differences import DIFFERENCES
from tests.learn.tables_of_forms import FORMS
from tests.learn.tables_of_identities import IDENTITIES
from tests.learn.tables_of_marks import MARKS
from tests.learn.tables_of_misnamed_columns import MISNAMED
from tests.learn.tables_of_multiples import MULTIPLES
from tests.learn.tables_of_people import TABLES, PeoplesTable
from tests.learn.tables_of_roles import ROLES
from tests.learn.tables_of_statistics import STATISTICS
from tests.learn.tables_of_units import UNITS


def doubtful(column: str) -> OpenQuestion:
    """Return the question about a name with several meanings."""
    return of_doubt(column, meaning_of(column))


EVERY = (
    TABLES
    | FORMS
    | UNITS
    | ROLES
    | IDENTITIES
    | MISNAMED
    | MARKS
    | DIFFERENCES
    | CONSTANTS
    | CONTRADICTIONS
    | STATISTICS
    | MULTIPLES
)


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


NO_UNIT = OpenQuestion("has no unit")
MAYBE_SETTING = OpenQuestion("a setting or a result?", takes_setting=True)


@pytest.mark.parametrize(
    ("column", "question", "answer"),
    [
        ("Compressed size", NO_UNIT, '--unit "Compressed size=MB"'),
        ("p99", NO_UNIT, '--unit "p99=ms"'),
        ("score", NO_UNIT, '--unit "score=1"'),
        ("nll_loss", NO_UNIT, '--unit "nll_loss=1"'),
        ("packet loss", NO_UNIT, '--unit "packet loss=%"'),
        ("Gflops", doubtful("Gflops"), '--unit "Gflops=GFLOP/s"'),
        ("estimated_gflops", doubtful("estimated_gflops"), '--unit "estimated_gflops=1"'),
        ("mflops", doubtful("mflops"), '--unit "mflops=MFLOP/s"'),
        ("$ cost", NO_UNIT, "--unit '$ cost=$'"),
        ("failed jobs", NO_UNIT, '--unit "failed jobs=1"'),
        ("target rate", NO_UNIT, '--unit "target rate=operations/s", or --unit "target rate=setting"'),
        ("atoms", MAYBE_SETTING, '--unit "atoms=1", or --unit "atoms=setting"'),
        ("db_size_mb", MAYBE_SETTING, '--unit "db_size_mb=MB", or --unit "db_size_mb=setting"'),
        ("run", minutes_or_hours("15:52"), '--unit "run=h:mm"'),
        ("net (Mbps)", OpenQuestion('"Mbps": bits or bytes?'), '--unit "net (Mbps)=Mbit/s"'),
        ("msg_throughput", NO_UNIT, '--unit "msg_throughput=messages/s"'),
        ("Durchsatz", NO_UNIT, '--unit "Durchsatz=operations/s"'),
        ("value", OpenQuestion("has no unit", name="throughput"), '--unit "value=operations/s"'),
        ("throughput.16", NO_UNIT, '--unit "throughput.16=operations/s"'),
        ("cpu_latency", NO_UNIT, '--unit "cpu_latency=ms"'),
        ("cache hit rate", NO_UNIT, '--unit "cache hit rate=%"'),
        ("found", of_unit("issues"), '--unit "found=issues", or --unit "found=setting"'),
        ("GB/s (x1000)", doubtful("GB/s (x1000)"), '--unit "GB/s (x1000)=GB/s"'),
        ("total_sent", NO_UNIT, '--unit "total_sent=1"'),
        ("num_ops", NO_UNIT, '--unit "num_ops=1"'),
        ("response_length", NO_UNIT, '--unit "response_length=1"'),
        ("total", NO_UNIT, '--unit "total=s"'),
        ("search.total_time", NO_UNIT, '--unit "search.total_time=s"'),
        ("accuracy.total_samples", NO_UNIT, '--unit "accuracy.total_samples=1"'),
        ("avg_output_tokens", NO_UNIT, '--unit "avg_output_tokens=1"'),
        ("max depth", NO_UNIT, '--unit "max depth=1"'),
        ("token throughput", NO_UNIT, '--unit "token throughput=tokens/s"'),
        ("f1", NO_UNIT, '--unit "f1=%"'),
        ("mAP50(B)", NO_UNIT, '--unit "mAP50(B)=%"'),
        ("mem (B)", MAYBE_SETTING, '--unit "mem (B)=B", or --unit "mem (B)=setting"'),
        ("time_1000_steps_s", doubtful("time_1000_steps_s"), '--unit "time_1000_steps_s=s"'),
        ("rps 10^3", doubtful("rps 10^3"), '--unit "rps 10^3=krps"'),
        ("run_steps_s", doubtful("run_steps_s"), '--unit "run_steps_s=steps/s"'),
        ("parts", several_numbers(["1/2"]), '--unit "parts=setting"'),
        ("x", of_cells("do its commas separate thousands or decimals?"), ""),
    ],
)
def test_an_example_of_an_answer_fits_the_question(column: str, question: OpenQuestion, answer: str) -> None:
    assert answer_for(column, question) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("a,recall,ms\nx,0.5,1.5\ny,0.7,2.5\n", '--unit "recall=1"'),
        ("a,recall(B),ms\nx,0.5,1.5\ny,0.7,2.5\n", '--unit "recall(B)=1"'),
        ("a,f1,ms\nx,1200,1.5\ny,1300,2.5\n", '--unit "f1=1"'),
        ("a,ktok/s,ms\nx,1.2k,1.5\ny,1.3k,2.5\n", '--unit "ktok/s=ktok/s"'),
        ("a,images (B),ms\nx,2.5,1.5\ny,3.5,2.5\n", '--unit "images (B)=billions"'),
        ("a,ms,hits\nx,1.5,4100\ny,2.5,5200\n", '--unit "hits=1", or --unit "hits=setting"'),
        ("a,ms,hits\nx,1.5,41\ny,2.5,52\n", '--unit "hits=1", or --unit "hits=setting"'),
        (
            "a,ms,cache hits\nx,1.5,41.5\ny,2.5,52.5\n",
            '--unit "cache hits=%", or --unit "cache hits=setting"',
        ),
        (
            "a,ms,acceptance\nx,1.5,0.41\ny,2.5,0.52\n",
            '--unit "acceptance=1", or --unit "acceptance=setting"',
        ),
        ("a,ms,ops\nx,1.5,4100\ny,2.5,5200\n", '--unit "ops=1", or --unit "ops=setting"'),
        ("prompt_tokens,p99_ms,throughput\n64,1.5,410.5\n128,2.5,520.5\n", '--unit "throughput=tokens/s"'),
        ("a,MB,run time\nx,1.5,0.41\ny,2.5,0.52\n", '--unit "run time=s"'),
        ("a,MB,response time\nx,1.5,410\ny,2.5,520\n", '--unit "response time=ms"'),
        ("a,s,db size\nx,1.5,41000123\ny,2.5,52000125\n", '--unit "db size=B", or --unit "db size=setting"'),
        ("a,MB,mean 10,mean 20\nx,1.5,41,51\ny,2.5,42,53\n", '--unit "mean 10=ms"'),
        ("a,pair,ms\nx,8,1.5\nx,8,2.5\ny,6,3.5\ny,6,4.5\n", '--unit "pair=setting", or --unit "pair=1"'),
        (
            "eval_rate,ms\n410.5,1.5\n520.5,2.5\n",
            '--unit "eval_rate=operations/s", or --unit "eval_rate=setting"',
        ),
    ],
)
def test_an_example_of_an_answer_fits_the_numbers(text: str, answer: str) -> None:
    proposal = proposed(PeoplesTable("t.csv", text, 2))
    assert proposal is not None
    asked = questions(proposal.open)
    assert [answer_for(columns[0], question) for columns, question in asked] == [answer]


def test_large_whole_numbers_of_cases_are_rather_rates_than_times() -> None:
    text = "GPU,1B Model,3B Model,7B Model\nx,607488,271152,141348\ny,524796,239646,119094\n"
    reason = why_not(LogFiles.of({"t.csv": text.encode()}).file("t.csv"))
    assert reason is not None
    assert '--unit "1B Model=operations/s"' in reason[1]


def test_a_rate_of_another_item_keeps_its_unit() -> None:
    table = PeoplesTable("events.csv", "store,operations/s,events/s\na,10.5,5.5\nb,11.5,6.5\n", 4)
    proposal = proposed(table)
    assert proposal is not None
    figures = {(figure.metric, figure.unit) for _, figure in read_with(proposal.toml, table)}
    assert figures == {("throughput", ""), ("event_rate", "events/s")}


def test_a_number_in_a_unit_of_another_quantity_is_counted_and_named() -> None:
    proposal = proposed(UNITS["a cell of a rate of another item than the header"])
    assert proposal is not None
    assert (proposal.read, proposal.numbers) == (2, 3)
    remedy = "write it in frames/s, or in a column of its own"
    assert f'"120.5 MP/s" in column "FPS" is not in frames/s and is not read; {remedy}' in proposal.notes


@pytest.mark.parametrize(
    ("text", "column", "fact"),
    [
        ("test,value,p99,unit\na,1.5,2.5,ms\nb,250,410,us\n", "p99", '"unit" states the units of "p99"'),
        (
            "db,metric,value,unit\na,throughput,1.5,kreq/s\nb,throughput,2.5,GB/s\n",
            "throughput",
            '"unit" states the units of "throughput"',
        ),
        (
            "db,throughput,unit\na,1.5,GB/s\nb,2.5,req/s\n",
            "throughput",
            '"unit" states the units of "throughput"',
        ),
        (
            "lib,mean 10,std 10\na,1.5,0.25\nb,2.5,0.15\n",
            "std 10",
            '"std 10" is the spread of another column',
        ),
        (
            "metric,value\nlatency (ms),3.5\nspeed,9\n",
            "value",
            '"metric" says what each number of "value" is',
        ),
    ],
)
def test_a_column_with_several_units_has_no_answer(text: str, column: str, fact: str) -> None:
    table = PeoplesTable("refused.csv", text, 0, answers={column: "ms"})
    with pytest.raises(RequestError, match=fact):
        proposed(table)


@pytest.mark.parametrize(
    ("text", "column", "fact"),
    [
        ("lib,time (ms),note\na,1.5,see 12 of 13\nb,2.5,x\n", "note", "it is read as a factor"),
        ("lib,time (ms),net\na,1.5,12 GB/s\nb,2.5,11 GB/s\n", "net", "none of its cells is in ms"),
        ('[{"a":"x","t_ms":3.5,"v":[1,2]},{"a":"y","t_ms":4.5,"v":[1,2]}]', "v", "lists"),
    ],
)
def test_an_answer_that_changes_nothing_is_an_error(text: str, column: str, fact: str) -> None:
    table = PeoplesTable("x.json" if text[0] == "[" else "x.csv", text, 0, answers={column: "ms"})
    with pytest.raises(RequestError, match=f'"{column}=ms" changes nothing: {fact}'):
        proposed(table)


@each_of(EVERY)
def test_an_answer_changes_no_other_column(name: str) -> None:
    table = EVERY[name]
    for each in find_tables(LogFiles.of({table.file: table.text.encode()}).file(table.file)):
        before = interpret(each)
        for column in () if any(figure.where for figure in before.figures) else before.open:
            after = interpret(each, {column: "points"})
            asked = [{x.column, *dict(x.where).values()} & before.open.keys() for x in after.figures]
            others = [x for x, answers in zip(after.figures, asked, strict=True) if not answers]
            assert others == before.figures
            assert {name for name, of in before.factors.items() if of != column} <= set(after.factors)
            # It may hold for other cases of one metric; it does not say what a comma, or a list, is.
            assert after.open.keys() <= before.open.keys()
            assert after.left_out == before.left_out


@each_of(EVERY)
def test_a_table_is_learned_and_read_back(name: str) -> None:
    table = EVERY[name]
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
    assert all(figure.unit or figure.metric in METRICS for _, figure in numbers)
    assert {column for column, _ in proposal.open} == table.open
    assert proposal.read == table.numbers
    assert tomllib.loads(proposal.toml)["table"]["name"] == proposal.name


@pytest.mark.parametrize(
    "text",
    [
        "# Results\n\n| tiny | 12.5 ms |\n|--|--|\n| mid | 14.5 ms |\n| large | 90.5 ms |\n",
        "| 12.5 ms | 13.5 s |\n|--|--|\n| 14.5 ms | 0.5 s |\n",
        "12.5 ms   13.5 ms\n-------   -------\n14.5 ms   0.5 ms\n",
    ],
)
def test_a_row_is_not_a_header(text: str) -> None:
    assert propose_each(LogFiles.of({"r.md": text.encode()}).file("r.md")) == []


def test_of_lines_and_blocks_of_results_those_with_more_numbers_are_read() -> None:
    lines = "copy : 120.5 GB/s\nscale : 98.5 GB/s\nadd : 88.5 GB/s\n"
    blocks = "".join(
        f"\n== case {case} ==\nThroughput (MB/s): {number}.5\nElapsed time (s): {number}.25\n"
        for case, number in (("one", 1), ("two", 2), ("three", 3), ("four", 4))
    )
    proposal = propose_printed(LogFiles.of({"k.txt": (blocks + lines).encode()}).file("k.txt"), {})
    assert proposal is not None
    assert proposal.read == 8


def test_printed_results_with_a_comma_stay_printed_results() -> None:
    text = "".join(
        f"{name}: {n}.5 ms ({n} MB, {n} GB/s)\n" for n, name in enumerate(("quick", "shell", "heap"), 3)
    )
    proposal = propose_file(LogFiles.of({"s.txt": text.encode()}).file("s.txt"), {})
    assert [each.read for each in proposal.tables] == [9]


def test_blocks_with_a_multiple_before_a_unit_are_not_read() -> None:
    text = "".join(
        f"== {name} ==\nRate: {n}.5k req/s\nLatency: {n}.25 ms\n" for n, name in enumerate(("one", "two"), 3)
    )
    plain = LogFiles.of({"b.txt": text.replace("k req", " req").encode()}).file("b.txt")
    assert printed_blocks(plain) is not None
    assert printed_blocks(LogFiles.of({"b.txt": text.encode()}).file("b.txt")) is None


def test_lines_of_results_beside_a_table_are_named() -> None:
    text = "copy : 120.5 GB/s (1.25 ms)\nscale : 98.5 GB/s (2.5 ms)\n\nKernel     Time (ms)\n---------  ---------\nnaive      10.5\ntiled      5.25\n"
    (proposal,) = propose_each(LogFiles.of({"k.txt": text.encode()}).file("k.txt"))
    assert proposal.read == 2
    assert (
        "other lines with a name and numbers with units are not read: 2, such as line 1,"
        ' "copy : 120.5 GB/s (1.25 ms)"; put them in a file of their own'
    ) in proposal.notes


def test_lines_of_results_beside_a_table_are_a_table_of_their_own() -> None:
    lines = (
        "copy : 120.5 GB/s (1.25 ms)\nscale : 98.5 GB/s (2.5 ms) [sort: 0.5 ms]\nadd : 88.5 GB/s (3.5 ms)\n"
    )
    text = lines + "\nKernel     Time (ms)\n---------  ---------\nnaive      10.5\ntiled      5.25\n"
    files = LogFiles.of({"k.txt": text.encode()})
    proposals = propose_each(files.file("k.txt"))
    assert [each.read for each in proposals] == [2, 6]
    assert '"[sort: 0.5 ms]" behind the numbers of a line is not read' in proposals[1].notes
    labels = settings([parse(labels_text(proposals).encode(), "")])
    claimed = offer(files.with_settings({"": labels}).file("k.txt"))
    assert claimed is not None
    items = list(claimed.format.read(claimed.files))
    check_valid(items)
    values = [figure.value for run in items if isinstance(run, Run) for figure in run.aggregates]
    assert sorted(values)[:5] == [0.00125, 0.0025, 0.0035, 0.00525, 0.0105]
    assert len(values) == 8


def test_empty_cells_of_a_first_column_that_are_not_filled_are_noted() -> None:
    text = "level,tool,ms\n3,a,5.5\n,b,6.5\n9,c,7.5\n"
    (proposal,) = propose_each(LogFiles.of({"r.csv": text.encode()}).file("r.csv"))
    note = '"level" has empty cells: if they repeat the cell above, write fill = ["level"] in [table.rows]'
    assert note in proposal.notes


def test_each_table_of_a_file_that_is_not_read_is_named() -> None:
    text = (
        "| Tool | ms |\n|--|--|\n| a | 1.5 |\n| b | 2.5 |\n\n| Branch | State |\n|--|--|\n| main | merged |\n"
    )
    (proposal,) = propose_each(LogFiles.of({"r.md": text.encode()}).file("r.md"))
    fact = "the file has tables without a known result, which are not read"
    assert f'{fact}: that with "Branch, State" (line 8)' in proposal.notes


def test_a_folder_names_once_what_it_cannot_open() -> None:
    paths = ("a.xlsx", "b.xlsx")
    reason = "was skipped: needs openpyxl: install it"
    skipped = [Finding("warning", Rule.READ_PACKED_FILE, path, reason, Source(path)) for path in paths]
    (question,) = propose_tables(LogFiles.of({"notes.txt": b"text"}), {}, skipped).questions
    assert (question.path, question.count) == ("a.xlsx", 2)
    assert (question.fact, question.remedy) == ("was skipped", "needs openpyxl: install it")


def test_each_table_of_benchstat_is_read_with_its_metric() -> None:
    table = FORMS["benchstat of two versions and of two metrics"]
    proposals = propose_each(LogFiles.of({table.file: table.text.encode()}).file(table.file))
    numbers = read_with(labels_text(proposals), table)
    assert len(numbers) == 10
    assert _is_it(("alloc_per_op", 240, {"variant": "new", "case": "Parse-8"}), *numbers[7])


NAMES = st.sampled_from(
    ["model", "latency_ms", "throughput (img/s)", "gpu", "# GPUs", "a.b", "a,b", 'x"y', "", "time", "value", "metric",
     "unit", "status", "error", "date", "step", "p99 (ms)", "A100 (ms)", "{statistic}_ms", "it's (ms)", "\\d (ms)", "*",
     "run", "repeat", "api_key", "\x7f ms", "é µs", "\ud83d ms"]
)  # fmt: skip
CELLS = st.sampled_from(
    ["1", "2.5", "1,234", "1.234,5", "12 ms", "OOM", "", "N/A", "2024-01-01", "45%", "Total", "1e400"]
)


def _csv(names: list[str], cells: list[str], separator: str) -> str:
    rows = [cells[at : at + len(names)] for at in range(0, len(cells), len(names))]
    quoted = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in (names, *rows)]
    return "\n".join(map(separator.join, quoted))


TEXTS = st.builds(
    _csv, st.lists(NAMES, min_size=1, max_size=5), st.lists(CELLS, max_size=20), st.sampled_from(",;\t|")
)
JSON = st.recursive(
    st.sampled_from([1, 2.5, "a", "12 ms", None, True, 1e308, [1, 2]]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given((TEXTS | JSON.map(json.dumps)).map(lambda text: text.encode("utf-8", "replace")))
def test_any_table_gives_a_proposal_that_labels_accept_or_none(content: bytes) -> None:
    view = LogFiles.of({"x.csv": content}).file("x.csv")
    own_table.claims(view)
    check_valid(list(own_table.read(view)))
    why_not(view)
    if proposal := propose_table(view):
        parse(proposal.toml.encode(), "")


@each_row(
    [
        ("model,latency_ms\na,1.5\nb,2.5\n", True),
        ("model,training time (h)\na,1.5\nb,2.25\nc,2:06\nd,3.1\n", False),
        ("model,training time (s)\na,1.5\nb,2.25\nc,2:06\nd,3.1\n", False),
        ('[{"model": "a", "tokens_per_second": 10.5}, {"model": "b", "tokens_per_second": 11}]', True),
        ('{"model": "a", "step_time_ms": 10.5}\n{"model": "b", "step_time_ms": 11}\n', True),
        ("concurrency,output tok/s,p50 TTFT (ms),p99 TTFT (ms)\n1,102.5,48,61\n8,652,71,133\n", True),
        ('{"request_id": 0, "latency_sec": 0.9}\n{"request_id": 1, "latency_sec": 1.1}\n', False),
        ("model,latency\na,1.5\nb,2.5\n", False),  # no unit
        ("model,latency_ms,score\na,1.5,0.25\nb,2.5,0.5\n", False),  # a setting or a result?
        ("step,step_time_ms\n" + "".join(f"{i},{i + 0.5}\n" for i in range(9)), False),  # steps of a run
        ("timestamp,power_w\n2024-01-01 10:00:00,250\n2024-01-01 10:00:01,251\n", False),  # telemetry
        ("model,bw_gbps\na,1.5\nb,2.5\n", False),  # bits or bytes?
        ("model;latency_ms\na;1,5\nb;2,5\n", False),
        ("model,latency_ms\na,~1.5\nb,2.5\n", False),
        ("latency_ms\n1.5\n2.5\n", False),
        ('{"results": [{"model": "a", "latency_ms": 1.5}]}', False),
    ]
)
def test_only_a_table_without_any_question_is_read_without_a_definition(text: str, claimed: bool) -> None:
    found = offer(LogFiles.of({"x.csv": text.encode()}).file("x.csv"))
    assert (found is not None and found.format.name == "own_table") == claimed


def test_the_note_names_figures_and_factors() -> None:
    text = b"model,latency_ms,latency_std_ms\na,1.5,0.1\nb,2.5,0.2\n"
    first, second = own_table.read(LogFiles.of({"x.csv": text}).file("x.csv"))
    assert isinstance(first, Run)
    assert [finding.text for finding in first.findings] == [
        "a table read without a definition; figures: latency_ms (latency, ms); factors: model; "
        "left out: latency_std_ms (the spread of another column)"
    ]
    assert isinstance(second, Run)
    assert second.findings == ()


TABLE = """[table]
name = "mine"
rows = { kind = "csv" }
factors = { model = "model" }
figures = [{ column = "t", metric = "latency", unit = "ms" }]
"""


@each_row(
    [
        ('"ms"', '"parsecs"', r'labels.toml: table.figures\[0\].unit: unknown unit "parsecs"'),
        ('"ms"', '"GB/s"', r'table.figures\[0\].unit: "GB/s" does not fit latency .base unit: s.'),
        ('"mine"', '"../mine"', 'table.name: "../mine" cannot be a name'),
        ('"mine"', '"vllm_serve"', 'table.name: "vllm_serve" is a known format'),
        (
            '"model" }',
            '{ column = "m", pattern = "(?=a)b" } }',
            "table.factors.model.pattern: .*the syntax is RE2",
        ),
        ('"csv" }', '"csv", header = "(a" }', "table.rows: header: not a regular expression"),
        (
            '"csv" }',
            f'"csv", header = "{"(" * 1500 + ")" * 1500}" }}',
            "table.rows: header: nested too deeply",
        ),
        ('"model" }', '{ column = "m", pattern = "a{1,999}b{1,999}" } }', "pattern: repeats so much"),
        ('"t"', '"{repeat}{repeat}"', r'figures\[0\].column: "{repeat}" is not a placeholder'),
        ('"t"', '"{0}"', r'figures\[0\].column: "[{]0}" is not a placeholder'),
        ('model = "model"', '"{a}" = "m{b}"', 'no placeholder of "m{b}" fills "{a}"'),
        (
            "rows =",
            'context = [{ pattern = "(?P<a>x)", joins = { c = "b" } }]\nrows =',
            'context.0..joins.c: the pattern has no group "b"',
        ),
        ("figures =", "figure =", 'table.figure: no such key; did you mean "figures"'),
        ("rows =", 'files = "../x"\nrows =', 'table.files: "../x" leads out of the folder'),
    ]
)
def test_a_wrong_table_is_an_error_with_place_fact_and_remedy(old: str, new: str, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        parse(TABLE.replace(old, new, 1).encode(), "")


def test_columns_of_repeats_are_runs_of_one_case() -> None:
    """An empty cell gives no run; what the row has once belongs to its first repeat."""
    table = TABLES["a column for each repeat"]
    proposal = proposed(table)
    assert proposal is not None
    runs: dict[object, list[tuple[int | None, str, object]]] = {}
    for run, figure in read_with(proposal.toml, table):
        runs.setdefault(run.factors["config"], []).append((run.repeat, figure.metric, figure.value))
    assert runs == {
        "base": [
            (1, "memory_used", 1.5 * 2**30),
            (1, "latency", 0.0125),
            (2, "latency", 0.01225),
            (3, "latency", pytest.approx(0.01275)),
        ],
        "fused": [(1, "memory_used", 2 * 2**30), (1, "latency", 0.0095), (3, "latency", 0.01)],
    }


def test_no_pattern_can_hang() -> None:
    """Python's engine needs 2^60 steps for each of these cells."""
    toml = TABLE.replace('"model" }', "{ column = 'model', pattern = '^(a+)+$' } }")
    text = "model,t\n" + f"{'a' * 60}b,1\n" * 3
    files = LogFiles.of({"x.csv": text.encode()}).with_settings({"": settings([parse(toml.encode(), "")])})
    runs = [item for item in own.read(files.file("x.csv")) if isinstance(item, Run)]
    assert [run.factors for run in runs] == [{}, {}, {}]


def test_of_a_file_of_many_tables_the_first_are_learned_and_the_rest_is_noted() -> None:
    """More tables than a recursion has levels, and more than a labels.toml may have."""
    text = "".join(f"name{i},latency_ms\na,1\nb,2\n\n" for i in range(1200))
    files = LogFiles.of({"many.csv": text.encode()})
    assert own_table.claims(files) is None
    assert len(tables := find_tables(files)) == 64
    assert tables[-1].rows.end
    proposal = propose_table(files)
    assert proposal
    assert "only the first 64 tables of the file were looked at" in proposal.notes


def test_a_time_with_one_colon_in_a_column_of_seconds_is_noted() -> None:
    toml = TABLE.replace('"ms"', '"s"')
    files = LogFiles.of({"x.csv": b"model,t\na,1.5\nb,2:06\n"})
    items = list(own.read(files.with_settings({"": settings([parse(toml.encode(), "")])}).file("x.csv")))
    assert [figure.value for x in items if isinstance(x, Run) for figure in x.aggregates] == [1.5, 126]
    (finding,) = [x for x in items if isinstance(x, Finding)]
    assert (finding.severity, finding.text, finding.source and finding.source.line) == (
        "note", 'column "t" has times with one colon, read as minutes and seconds', 3,
    )  # fmt: skip
    proposal = propose_table(LogFiles.of({"x.csv": b"model,time (s)\na,1.5\nb,2:06\n"}).file("x.csv"))
    assert proposal is not None
    assert '"2:06" in column "time (s)" is read as minutes and seconds' in proposal.notes


def test_a_text_in_a_column_of_figures_is_reported_and_not_read() -> None:
    files = LogFiles.of({"x.csv": b"model,t\na,1.5\nb,fast\nc,12 GB\nd,\n"})
    view = files.with_settings({"": settings([parse(TABLE.encode(), "")])}).file("x.csv")
    items = list(own.read(view))
    assert [figure.value for item in items if isinstance(item, Run) for figure in item.aggregates] == [0.0015]
    findings = [item for item in items if isinstance(item, Finding)]
    assert [(finding.text, finding.source.line if finding.source else 0) for finding in findings] == [
        ('column "t" has a text that is not a number of its unit', 3),
        ('column "t" is in GB, which is not a unit of its metric', 4),
        ('column "t" has no value (empty)', 5),
    ]


@pytest.mark.parametrize(
    ("column", "severity", "text"),
    [
        ("latncy", "warning", 'no row has the column "latncy" of a figure; did you mean "latency"?'),
        ("power", "note", 'no row has the column "power" of a figure'),
        ("stats.{statistic}", "note", 'no row has the column "stats.{statistic}" of a figure'),
        ("lat{x}", None, ""),
    ],
)
def test_a_figure_without_a_column_is_reported_beside_others(
    column: str, severity: str | None, text: str
) -> None:
    toml = TABLE.replace("csv", "json").replace('kind = "json"', 'kind = "json", path = "[*]"')
    other = f'{{ column = "{column}", metric = "e2e_latency", unit = "ms" }}'
    toml = toml.replace("figures = [", f"figures = [{other}, ")
    content = b'[{"model": "a", "t": 1.5, "latency": 2}, {"model": "b", "t": 2.5, "latency": 3}]'
    files = LogFiles.of({"x.json": content}).with_settings({"": settings([parse(toml.encode(), "")])})
    items = list(own.read(files.file("x.json")))
    assert any(figure.value == 0.0025 for x in items if isinstance(x, Run) for figure in x.aggregates)
    findings = [(x.severity, x.text) for x in items if isinstance(x, Finding)]
    assert findings == ([(severity, text)] if severity else [])


def test_of_several_definitions_the_one_with_most_columns_reads_a_file() -> None:
    wide = (
        TABLE.replace("[table]", "[[table]]")
        .replace('"mine"', '"wide"')
        .replace("figures = [", 'figures = [{ column = "u", metric = "ttft", unit = "ms" }, ')
    )
    labels = parse((TABLE.replace("[table]", "[[table]]") + wide).encode(), "")
    files = LogFiles.of({"a.csv": b"model,t\na,1\n", "b.csv": b"model,t,u\na,1,2\n"})
    files = files.with_settings({"": settings([labels])})
    read = {name: [item for item in own.read(files.file(name)) if isinstance(item, Run)] for name in files}
    assert {name: {run.format for run in runs} for name, runs in read.items()} == {
        "a.csv": {"mine"},
        "b.csv": {"wide"},
    }


def test_the_example_of_the_guide_is_a_valid_definition() -> None:
    page = (ROOT / "docs/how-to/read-a-table.md").read_text("utf-8")
    (example,) = re.findall(r'```toml title="labels.toml"\n(.*?)```', page, re.DOTALL)
    assert parse(example.encode(), "").tables[0]["name"] == "serving"


def test_rows_deep_in_megabytes_of_json_take_seconds() -> None:
    """The lists around a row are cells of it: a text of each took 90 s for 4 MB."""
    row = {"model": "a", "time_ms": 1.5, "samples": [0.123456789] * 60}
    suites = [
        {"suite": n, "groups": [{"group": g, "rows": [row] * 20} for g in range(10)]} for n in range(10)
    ]
    content = json.dumps({"suites": suites}).encode()
    start = time.process_time()
    proposal = propose_table(LogFiles.of({"x.json": content}).file("x.json"), {"time_ms": "us"})
    assert proposal is not None
    assert (proposal.rows, proposal.numbers) == (2000, 2000)
    assert time.process_time() - start < 10


def test_a_folder_gives_one_page_of_proposals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five families: three are proposed, one needs an answer, one is read already."""
    monkeypatch.chdir(tmp_path)
    vllm = Path(__file__).parents[1] / "formats/tables/fixtures/vllm_serve.json"
    write_files(
        tmp_path,
        {
            "r/de1.csv": "model;latency (ms)\na;1,5\n",
            "r/de2.csv": "model;latency (ms)\nb;2,5\n",
            "r/cells.csv": "model,latency\na,1.5 ms\nb,2 s\n",
            "r/nested.json": '{"gpu": "A100", "results": [{"bs": 1, "time_ms": 2}, {"bs": 8, "time_ms": 4}]}',
            "r/open.csv": "model,speed\na,10\nb,12\n",
            "r/vllm.json": vllm.read_bytes(),
        },
    )
    out, err = call("learn", "r")
    assert "r/de1.csv and 1 more: 1 of 1 numbers in 1 rows" in out
    assert (
        'r/open.csv: a table with the columns model, speed; none names a metric and its unit: "speed" has no unit'
        in out
    )
    assert "read already: 1 file (vllm_serve)" in out
    assert (
        "  factor: model\n  figure: latency (ms) (latency in ms)\n  first run: model=a: latency 1.500 ms"
        in out
    )
    assert out.count("[[table]]") == 0
    assert len(out.splitlines()) < 30
    assert call("learn", "r", "--format", "json")[0].count("[[table]]") == 3
    assert err == "accept with: reportgen learn r --write r\n"
    call("learn", "r", "--write", "r")
    runs = json.loads(call("runs", "r", "--format", "json")[0])["runs"]
    values = sorted(
        (run["format"], each["value"])
        for run in runs
        for each in run["measurements"]
        if run["format"] != "vllm_serve"
    )
    assert values == [
        ("cells", 0.0015),
        ("cells", 2),
        ("nested", 0.002),
        ("nested", 0.004),
        ("r", 0.0015),
        ("r", 0.0025),
    ]
    assert "1 file looks like a table of results: reportgen learn r/open.csv" in call("runs", "r")[1]


@pytest.mark.parametrize(
    ("names", "name"),
    [
        (("train/a100.csv", "train/h100.csv"), "train"),
        (("x/results_a100.csv", "y/results_h100.csv"), "results"),
        (("x/bench-10.csv", "x/bench-12.csv"), "bench"),
        (("x/a.csv", "y/b.csv"), "a"),
        (("x/only.csv",), "only"),
    ],
)
def test_a_definition_is_called_after_all_of_its_files(names: tuple[str, ...], name: str) -> None:
    files = LogFiles.of(dict.fromkeys(names, b"model,latency\na,1.5 ms\nb,2 s\n"))
    (table,) = propose_tables(files, {}).tables
    assert table.name == name


def test_files_whose_captions_state_different_metrics_are_of_two_kinds() -> None:
    """The columns are the same: a definition for all of them would give milliseconds to a rate."""
    table = "\n\n| batch | A100 | H100 |\n|---|---|---|\n| 1 | 5.5 | 3.5 |\n| 8 | 9.5 | 6.25 |\n"
    texts = {
        "lat-bert.md": f"Latency (ms){table}",
        "lat-gpt.md": f"Latency (ms){table}",
        "rate.md": f"Throughput (img/s){table}",
    }
    proposal = propose_tables(LogFiles.of({name: text.encode() for name, text in texts.items()}), {})
    assert [(each.table["files"], each.table["figures"][0]["metric"]) for each in proposal.tables] == [
        ("lat-*.md", "latency"),
        ("rate.md", "throughput"),
    ]
    assert not any("no number is read" in note for each in proposal.tables for note in each.notes)


def test_a_table_in_a_document_is_read_as_it_was_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document quotes a log, but a definition for its table reads the document itself."""
    monkeypatch.chdir(tmp_path)
    write_files(
        tmp_path,
        {"r/a100.md": "# A100\n\n| model | latency |\n|---|---|\n| sd | 12.5 ms |\n| xl | 40 ms |\n"},
    )
    call("learn", "r", "--write", "r")
    runs = json.loads(call("runs", "r", "--format", "json")[0])["runs"]
    assert [(run["factors"]["model"], run["measurements"][0]["value"]) for run in runs] == [
        ("sd", 0.0125),
        ("xl", 0.04),
    ]


def test_a_unit_is_an_answer_and_a_wrong_one_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {"x.csv": "model,time\na,10\nb,12\n"})
    assert 'unit = "ms"' in call("learn", "x.csv", "--unit", "time=ms")[0]
    assert (
        error_of("learn", "x.csv", "--unit", "tim=ms")
        == '--unit: no column "tim"; the columns are model, time'
    )
    assert (
        error_of("learn", "x.csv", "--unit", "time=mss") == '--unit: unknown unit "mss"; did you mean "ms"?'
    )
    assert error_of("learn", "x.csv", "--unit", "time=7").startswith('--unit: "7" is not a unit; write ms')
    assert error_of("learn", "x.csv", "--unit", "time=tps").startswith(
        '--unit: "tps" has several meanings; write it in full, such as tokens/s'
    )
    assert error_of("learn", "x.csv", "--unit", "time").startswith('--unit: "time" is not column=unit')
    assert error_of("learn", "x.csv").startswith(
        'x.csv: a table with the columns model, time; none names a metric and its unit: "time" has no unit; state a unit: --unit "time=ms"'
    )


def test_of_two_columns_with_one_meaning_the_one_that_is_called_so_has_the_name() -> None:
    """`batch` is the number of a batch here; a table with both is not read without a definition."""
    text = "run,batch,forward_ms,batch_size\na,101,11.5,128\na,201,12.5,128\n"
    view = LogFiles.of({"t.csv": text.encode()}).file("t.csv")
    assert own_table.claims(view) is None
    proposal = propose_table(view, {})
    assert proposal is not None
    factors = proposal.table["factors"]
    assert (factors["batch"], factors["batch_size"]) == ("batch", "batch_size")


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (
            '{"results": [{"model": "a", "latency_ms": 12.5}, {"model": "b", "laten',
            "its JSON ends in line 1, column 65",
        ),
        ('{\n "results": [\n  {"latency_ms": 12.5},\n', "its JSON ends in line 4, column 1"),
        ('[{"latency_ms": 12.5}, {"latency_ms" 13}]', "its JSON is broken in line 1, column 38"),
        ("[10:00:01] step 1\n", None),
        ('{"latency_ms": 12.5}\n{"latency_ms": 1', None),  # lines of JSON, the last one cut
    ],
)
def test_json_that_ends_early_has_a_place(text: str, fact: str | None) -> None:
    reason = why_not(LogFiles.of({"x.json": text.encode()}).file("x.json"))
    assert (reason[0] if reason and "JSON" in reason[0] else None) == fact


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("resnet50,1,64,1250.3\nresnet50,2,64,2410.1\nvgg16,1,64,410.0\n", "a table without a header"),
        ("a;1,5\nb;2,5\n", "a table without a header"),
        ("model,speed\na,1\nb,2\n", "a table with the columns model, speed"),
        ("one, two\nthree, four\n", "a table of words alone, with the columns one"),
    ],
)
def test_a_table_without_a_header_is_called_so(text: str, fact: str) -> None:
    reason = why_not(LogFiles.of({"x.csv": text.encode()}).file("x.csv"))
    assert reason is not None
    assert reason[0].startswith(fact)


@pytest.mark.parametrize(("count", "ending"), [(10, "; and 2 more"), (8, "has no unit")])
def test_questions_that_are_not_shown_are_counted(count: int, ending: str) -> None:
    names = ("hit", "msg", "target", "net", "disk", "read", "write", "sort", "scan", "join")[:count]
    text = f"model,{','.join(f'{name} rate' for name in names)}\na{',1.5' * count}\nb{',2.5' * count}\n"
    fact, _ = why_not(LogFiles.of({"x.csv": text.encode()}).file("x.csv")) or ("", "")
    assert fact.count("has no unit") == 8
    assert fact.endswith(ending)


@pytest.mark.parametrize(
    ("file", "text", "names", "numbers", "value"),
    [
        ("a.csv", "gemm,64,0.25\ngemm,128,1.5\nconv,64,0.5\n", "kernel,n,time_us", 3, 1.5e-6),
        ("a.tsv", "gemm\t64\t0.25\ngemm\t128\t1.5\n", "kernel,n,time (s)", 2, 1.5),
        ("a.csv", "gemm;64;0,25\ngemm;128;1,5\n", "kernel,n,time_ms", 2, 0.0015),
        ("a.txt", "gemm   64  0.25\ngemm  128  1.5\n", "kernel,n,time_ms", 2, 0.0015),
        ("a.json", '{"gpu": "a", "rows": [["gemm", 64, 0.25], ["gemm", 128, 1.5]]}', "kernel,n,time_ms", 2, 0.0015),
        ("a.json", '[["gemm", 64, 0.25], ["gemm", 128, 1.5]]', "kernel,n,time_ms", 2, 0.0015),
    ],
)  # fmt: skip
def test_a_person_names_the_columns_of_a_table_without_a_header(
    file: str,
    text: str,
    names: str,
    numbers: int,
    value: float,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {file: text})
    asked = error_of("learn", file)
    example = asked.rpartition("such as: ")[2].split()
    assert call("learn", file, *example)[0]
    call("learn", file, "--columns", names, "--write", ".")
    runs = json.loads(call("runs", "--format", "json", file)[0])["runs"]
    found = [x["value"] for run in runs for x in run["measurements"] if run["factors"].get("n") == 128]
    assert found == [pytest.approx(value)]
    assert len(runs) == numbers


def test_names_that_do_not_fit_the_columns_are_an_error() -> None:
    view = LogFiles.of({"a.csv": b"gemm,64,0.25\ngemm,128,1.5\n"}).file("a.csv")
    with pytest.raises(
        RequestError, match=r"3 different names are needed, for the columns of gemm, 64, 0\.25"
    ):
        propose_file(with_columns(view, ["kernel", "n"]), {})
    prose = LogFiles.of({"a.csv": b"gemm is fast\n"}).file("a.csv")
    with pytest.raises(RequestError, match="no table whose rows have one width"):
        propose_file(with_columns(prose, ["kernel", "n"]), {})


def test_a_list_of_metrics_needs_no_header() -> None:
    text = "get_avg_latency_ms;36,5\nget_p99_latency_ms;34.3125\nget_throughput_ops_per_sec;647\n"
    table = PeoplesTable("a.csv", text, 3)
    proposal = proposed(table)
    assert proposal is not None
    values = {(x.metric, x.value) for _, x in read_with(proposal.toml, table)}
    assert values == {("latency", 0.0365), ("latency", 0.0343125), ("throughput", 647)}


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ('renderer,notes,mean_fps\na,"tile 8, SH 32",245.5\nb,plain,56.5\n', True),
        ("scene,serial_ms,warp_ms\nroom,10.5,0.5\ngarden,6.5,0.25\n", True),
        ("point,status\n319d51bf,FLAG\n8f8763aa,FLAG\n", False),
    ],
)
def test_a_file_that_may_be_a_table_of_results_is_named(text: str, is_one: bool) -> None:
    assert own_table.looks_like_table(text.encode()) == is_one


def test_times_of_day_that_follow_each_other_are_a_series() -> None:
    rows = "".join(f"09:5{minute}:00,{300 + minute}.5,254.5\n" for minute in range(6))
    view = LogFiles.of({"x.csv": f"t,total_tok_s,gpu_power_w\n{rows}".encode()}).file("x.csv")
    assert propose_table(view) is None
    fact, _ = why_not(view) or ("", "")
    assert fact == 'its rows are steps of one run (column "t"), not results'


@pytest.mark.parametrize(
    ("name", "spreads"),
    [
        ("spreads and thin spaces in LaTeX", [0.0004, 12, 0.0005, 3, 0.0011, 3]),
        ("a grid whose header has two lines", []),
    ],
)
def test_runs_reads_what_learn_writes_for_a_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, spreads: list[float]
) -> None:
    monkeypatch.chdir(tmp_path)
    table = TABLES[name]
    write_files(tmp_path, {table.file: table.text})
    call("learn", table.file, "--write", ".")
    runs = json.loads(call("runs", "--format", "json", table.file)[0])["runs"]
    measurements = [each for run in runs for each in run["measurements"]]
    assert len(measurements) == table.numbers
    assert [each["stated_spread"] for each in measurements if "stated_spread" in each] == spreads


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("two.csv", TABLES["another table below a table"].text),
        ("two.csv", "Times\nbatch,time (ms)\n8,12.5\n16,24.0\n\nRates\nmodel,tokens/s\nbert,5210\n"),
        (
            "two.md",
            "# Times\n\n| batch | time (ms) |\n|---|---|\n| 8 | 12.5 |\n| 16 | 24.0 |\n\n"
            "# Rates\n\n| model | tokens/s |\n|---|---|\n| bert | 5210 |\n",
        ),
        (
            "two.txt",
            "Times\nbatch  time (ms)\n----------------\n8      12.5\n16     24.0\n\n"
            "Rates\nmodel  tokens/s\n---------------\nbert       5210\n",
        ),
    ],
)
def test_each_table_of_a_file_has_a_definition_that_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {file: text})
    printed = call("learn", file, "--write", ".")[0]
    assert "not read" not in printed
    runs = json.loads(call("runs", "--format", "json", file)[0])["runs"]
    assert [run["id"] for run in runs] == [f"{file}#{number}" for number in (1, 2, 3)]
    values = {(x["metric"], x["value"]) for run in runs for x in run["measurements"]}
    assert values == {("latency", 0.0125), ("latency", 0.024), ("throughput", 5210)}


def test_each_metric_that_a_column_names_has_a_row_of_the_proposal() -> None:
    table = PeoplesTable(
        "l.csv", "db,metric,value,unit\na,get p99,1.5,ms\na,get rate,250.5,requests/s\nb,get p99,2.5,ms\n", 3
    )
    proposal = proposed(table)
    assert proposal is not None
    assert [(name, cells) for name, role, cells in proposal.columns if role.startswith("figure")] == [
        ("value: get p99", "1.5, 2.5"),
        ("value: get rate", "250.5"),
    ]


def test_numbers_below_three_levels_of_names_are_not_called_unread() -> None:
    proposal = proposed(FORMS["JSON of numbers below three levels of names"])
    assert proposal is not None
    assert [note for note in proposal.notes if "is not read" in note] == []
    assert ("../small", "left out: a row of its own") in [column[:2] for column in proposal.columns]


def test_rows_with_open_columns_are_not_proposed_as_lines_of_a_log() -> None:
    rows = "".join(f"| {n} | {n / 80} s | {n / 7:.1f} tok/s |\n" for n in (100, 200, 300, 400))
    text = f"| Tokens | Wall time | Rate |\n|--|--|--|\n{rows}| 500 | 6.5 s median | 80.5 tok/s median |\n"
    with pytest.raises(RequestError, match="its cells state different statistics"):
        propose_file(LogFiles.of({"runs.md": text.encode()}).file("runs.md"), {})


def test_each_branch_of_a_json_document_has_a_definition() -> None:
    text = (
        '{"encode": [{"codec": "a", "mb_per_s": 100.5}, {"codec": "b", "mb_per_s": 90.5}],'
        ' "latency": [{"endpoint": "/x", "p50_ms": 1.5}, {"endpoint": "/y", "p50_ms": 2.5}],'
        ' "memory": {"a": {"rss_mb": 12.5}, "b": {"rss_mb": 14.5}}}'
    )
    table = PeoplesTable("r.json", text, 6)
    proposals = propose_each(LogFiles.of({table.file: text.encode()}).file(table.file))
    numbers = read_with(labels_text(proposals), table)
    values = {(x.metric, x.value) for _, x in numbers}
    assert len(numbers) == 6
    assert {("latency", 0.0015), ("bandwidth", 90.5e6), ("rss", 14.5e6)} <= values


def test_learn_proposes_nothing_for_a_log_that_a_format_reads() -> None:
    text = "Benchmark 1: a 100\n  Time (mean ± σ):     49.5 ms ±   0.5 ms\n  Range (min … max):   48.5 ms …  51.5 ms    60 runs\n"
    with pytest.raises(RequestError, match="hyperfine_text reads this file without a definition"):
        propose_file(LogFiles.of({"a.md": f"```\n{text * 3}```\n".encode()}).file("a.md"), {})


def test_a_header_is_not_a_row_of_numbers_with_spreads() -> None:
    lines = "".join(
        f"Bench.chain {n}  thrpt  5  {441 - n},126 ± {7 + n},609  ops/s\n" for n in (1, 8, 16, 32)
    )
    assert all(
        "126 ± 8" not in table.columns
        for table in find_tables(LogFiles.of({"j.txt": lines.encode()}).file("j.txt"))
    )


def test_a_page_of_html_says_that_it_is_one() -> None:
    page = b"<html><body><p>6.5 ms</p><table><tr><td><a href='b.html'>on</a></td></tr></table></body></html>"
    view = LogFiles.of({"page.html": page}).file("page.html")
    assert why_not(view) == (
        "a page of HTML without a table of results",
        "save its tables as CSV or Markdown, see docs/how-to/read-a-table.md",
    )


def test_each_table_of_a_long_latex_document_is_read() -> None:
    latency = FORMS["LaTeX with numbers of siunitx"].text
    speed = FORMS["LaTeX with rules between two lines of names"].text
    text = "Words & words of an introduction.\n" * 70 + latency + "Words.\n" + speed
    table = PeoplesTable("paper.tex", text, 14)
    proposals = propose_each(LogFiles.of({table.file: text.encode()}).file(table.file))
    numbers = read_with(labels_text(proposals), table)
    assert len(numbers) == 14
    assert sum(_is_it(("mfu", 0.52, {"devices": 128, "model": "13B"}), *each) for each in numbers) == 1
    assert sum(_is_it(("bandwidth", 380e9, {"kernel": "scale"}), *each) for each in numbers) == 1


@pytest.mark.parametrize(
    ("file", "text", "answer"),
    [
        (
            "scores.md",
            "| GPU | Tokens/s |\n|--|--|\n| x | 1413 |\n| y | 1190 |\n\n| Game | one | two |\n|--|--|--|\n| a | 60.5 | 27.5 |\n",
            'that with "Game, one, two" (line 8): --unit "one=',
        ),
        (
            "scores.json",
            '{"latency": [{"host": "a", "p50_ms": 1.5}, {"host": "b", "p50_ms": 2.5}],'
            ' "scores": [{"host": "a", "value": 3.25}, {"host": "b", "value": 4.75}]}',
            'scores[*]: --unit "value=',
        ),
    ],
)  # fmt: skip
def test_a_table_beside_others_is_asked_for_until_it_is_answered(file: str, text: str, answer: str) -> None:
    view = LogFiles.of({file: text.encode()}).file(file)
    fact = "the file has tables whose metric or unit is not stated"
    (proposal,) = propose_each(view)
    assert any(note.startswith(f"{fact}: {answer}") for note in proposal.notes)
    proposals = propose_each(view, dict.fromkeys(("one", "two") if file.endswith("md") else ("value",), "ms"))
    assert len(proposals) == 2
    assert not any(note.startswith(fact) for each in proposals for note in each.notes)


def test_a_log_that_a_format_reads_is_not_taken_for_a_table() -> None:
    text = (
        "# Warmup: 5 iterations, 10 s each\n# Threads: 1 thread, all wait\n# Mode: Throughput, ops/time\n"
        "# Run progress: 75,00% complete, ETA 00:01:40\nIteration   1: 0,005 ops/s\nIteration   2: 0,005 ops/s\n\n"
        "Benchmark     Mode  Cnt  Score   Error  Units\nQueue.put    thrpt    5  0,005 ± 0,001  ops/s\n"
    )
    view = LogFiles.of({"jmh.txt": text.encode()}).file("jmh.txt")
    with pytest.raises(RequestError, match="jmh_text reads this file without a definition"):
        propose_file(view, {})


def test_a_metric_without_a_unit_in_a_block_is_asked_for() -> None:
    text = "Model A\n  accuracy: 0.912\n  latency: 12.5 ms\nModel B\n  accuracy: 0.934\n  latency: 31.5 ms\n"
    proposal = propose_printed(LogFiles.of({"t.txt": text.encode()}).file("t.txt"), {})
    assert proposal is not None
    assert [(name, asked.unit) for name, asked in proposal.open] == [("accuracy", "1")]


def test_the_zeros_of_a_failed_run_are_not_read_also_beside_errors(tmp_path: Path) -> None:
    path = tmp_path / "servers.csv"
    path.write_text("server,req/s,p99 (ms),errors\na,0,0,100\nb,1500,12.5,0\n")
    out, _ = call("learn", str(path))
    assert "4 of 6 numbers in 2 rows" in out
    assert 'latency (step) is zero: "0 ms"; not used' in out


def test_learn_prints_the_known_units_and_metrics() -> None:
    lines = call("learn", "--names")[0].split("\n")
    times = next(at for at, line in enumerate(lines) if line.startswith("units: ") and "ms" in line.split())
    assert "ttft" in lines[times + 1].split()


def test_a_table_whose_header_begins_another_one_is_read_once() -> None:
    table = EVERY["a header that begins as another one does, below headings with settings"]
    proposals = propose_each(LogFiles.of({table.file: table.text.encode()}).file(table.file))
    assert [each.read for each in proposals] == [4, 2]
    values = read_with(labels_text(proposals), table)
    assert sorted(
        (run.factors["workers"], round(figure.value, 6))
        for run, figure in values
        if figure.metric == "latency"
    ) == [(2, 0.0015), (2, 0.0025), (6, 0.0035), (6, 0.0045)]


@pytest.mark.parametrize(
    ("first", "second", "third", "clients"),
    [
        ("## clients = 4", "## One client", "## clients = 32", None),
        ("## clients = 4", "## clients: 1", "## clients = 32", None),
        ("clients = 4:", "One client:", "clients = 32:", None),
        ("**clients = 4**", "**All**", "**clients = 32**", None),
        ("## clients = 4", "## Rest\n\nclients = 9, as in the annex, was too slow", "## clients = 32", None),
        ("clients = 4", "clients = 9, as in the annex, was too slow", "clients = 32", None),
        ("clients = 4", "All\n\n```\nclients = 9\n```", "clients = 32", None),
        ("# clients = 4", "# clients = 9\n\n```\n# clients = 5\n```", "# clients = 32", None),
        ("## Pool, clients = 4 (one run)", "## Pool, clients = 9", "## Pool, clients = 32 (slow)", 9),
        ("clients = 4:", "clients = 9:", "clients = 32:", 9),
    ],
)
def test_a_setting_is_a_factor_if_the_heading_of_each_table_states_it(
    first: str, second: str, third: str, clients: int | None
) -> None:
    tables = ((first, "Time (ms)", 1.5), (second, "rate (req/s)", 20.5), (third, "Memory (MiB)", 3.5))
    text = "".join(
        f"{heading}\n\n| Op | {column} |\n|--|--|\n| get | {value} |\n| put | {value} |\n\n"
        for heading, column, value in tables
    )
    proposals = propose_each(LogFiles.of({"t.md": text.encode()}).file("t.md"))
    values = read_with(labels_text(proposals), PeoplesTable("t.md", text, 6))
    assert [run.factors.get("clients") for run, _ in values] == [
        value if clients else None for value in (4, 4, 9, 9, 32, 32)
    ]


def test_learn_names_the_lines_and_cells_that_are_lost() -> None:
    text = "| Filter | Tool | Time (ms) |\n|--|--|--|\n| a | x | 1.5 |\n| b | c | x | 2.5 |\n| d | x | fast |\n| e | 9 |\n"
    (proposal,) = propose_each(LogFiles.of({"t.md": text.encode()}).file("t.md"))
    assert proposal.notes == (
        '"fast" in column "Time (ms)" is not a number and is not read',
        'line 4: row "b" has 4 cells, its header 3',
        'line 6: row "e" has 2 cells, its header 3',
    )


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            '{"summary": {"total_s": 12.5}, "steps": [{"part": "load", "time_s": 2.5}, {"part": "run", "time_s": 9.5}]}',
            "numbers beside the rows are not read: /summary.total_s",
        ),
        (
            '{"1": {"time_ms": 10.5}, "2": {"time_ms": 5.5}, "4": {"time_ms": 3.5}}',
            'the values of "case" are unnamed numbers: rename it in the definition, for example to batch_size',
        ),
    ],
)  # fmt: skip
def test_learn_says_what_json_leaves_open(text: str, note: str) -> None:
    (proposal,) = propose_each(LogFiles.of({"t.json": text.encode()}).file("t.json"))
    assert proposal.notes == (note,)


def test_results_that_are_printed_line_by_line_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (
        "# GEMM\n\n```\nRunning with M=64, N=128\nTEST: naive f32    :  257.25 ms,    0.50 TFLOPS\n"
        "TEST: tiled (64x8) :   12.5 ms,   10.75 TFLOPS\nRunning with M=64, N=256\n"
        "TEST: naive f32    :    1.5 s,    0.25 TFLOPS\nTEST: tiled (64x8) :   25.0 ms,   11.25 TFLOPS\n"
        "wrote: 12 kB\n```\n"
    )
    write_files(tmp_path, {"gemm.md": text})
    printed = call("learn", "gemm.md", "--write", ".")[0]
    assert "8 of 8 numbers in 4 rows" in printed
    assert 'with units are not read: 1, such as line 10, "wrote: 12 kB"' in printed
    runs = json.loads(call("runs", "--format", "json", "gemm.md")[0])["runs"]
    values = {
        (run["factors"]["case"], run["factors"]["n"], x["metric"], x["value"])
        for run in runs
        for x in run["measurements"]
    }
    assert len(values) == 8
    assert ("TEST: naive f32", 256, "latency", 1.5) in values
    assert ("TEST: tiled (64x8)", 128, "flops", 10.75e12) in values


@pytest.mark.parametrize(
    ("text", "numbers", "values"),
    [
        (  # titles between marks
            "== Test: seq write ==\nFile size: 1024 MB\nElapsed time: 4.25 s\nThroughput: 240.5 MB/s\n\n"
            "== Test: rnd write ==\nFile size: 1024 MB\nElapsed time: 14.25 s\nThroughput: 71.5 MB/s\n",
            4,
            {("Test: seq write", "bandwidth", 240.5e6), ("Test: rnd write", "run_time", 14.25)},
        ),
        (  # units without a usual name, and titles that share words
            "4 CPUs; running 1 copy of tests\n\nSieve of numbers      12466.5 lps   (10.0 s, 7 samples)\n"
            "Pipe throughput        3741.5 lpm   (30.0 s, 2 samples)\nFile copy             578.5 kB/s\n\n"
            "4 CPUs; running 4 copies of tests\n\nSieve of numbers      42466.5 lps   (10.0 s, 7 samples)\n"
            "Pipe throughput        9741.5 lpm   (30.0 s, 2 samples)\nFile copy             878.5 kB/s\n",
            6,
            {
                ("4 CPUs; running 1 copy of tests", "sieve_of_numbers", 12466.5),
                ("4 CPUs; running 4 copies of tests", "bandwidth", 878500),
            },
        ),
        (  # headings of several levels: a higher one ends what lower ones said
            "* ints\n** 19\n   Throughput: 143.5 reads/s\n   peak memory: 43 kB\n** 22\n   Throughput: 123.5 reads/s\n"
            "   peak memory: 53 kB\n* strings\n  Throughput: 39.5 reads/s\n  peak memory: 73 kB\n",
            6,
            {("strings", "throughput", 39.5), ("ints", "memory_used", 53000)},
        ),
        (  # sentences with two results
            "Plain client\n10k GET took: 0.97 seconds... 10297.1 operations per second\n20k GET took: 1.91 seconds..."
            " 10451.3 operations per second\n\nPooled client\n10k GET took: 0.76 seconds... 13156.5 operations per"
            " second\n20k GET took: 1.52 seconds... 13113.5 operations per second\n",
            8,
            {("Plain client", "run_time", 0.97), ("Pooled client", "throughput", 13113.5)},
        ),
        (  # settings above each block
            "Clients:     10\nTotal time:     1.25 seconds\nTime per request:   12.5 [ms] (mean)\n\n"
            "Clients:     50\nTotal time:     1.05 seconds\nTime per request:   52.5 [ms] (mean)\n",
            4,
            {(50, "time_per_request", 0.0525)},
        ),
        ("avg_latency_ms=12.5\np99_latency_ms=33.5\nrate_rps=1200.5\n", 3, {(None, "latency", 0.0125)}),
        (  # the time of a part in parentheses, and settings below the results
            "Two solvers\n\nGrid 64x64 (500 steps):\n  host: 120.5 ms (0.241 ms/step)\n  card: 14.5 ms (0.029 ms/step)\n"
            "  fault: u=1.5e-7\n\nGrid 96x96 (500 steps):\n  host: 480.5 ms (0.961 ms/step)\n"
            "  card: 21.5 ms (0.043 ms/step)\n  fault: u=1.9e-7\n",
            4,
            {("Grid 64x64 (500 steps)", "latency", 0.0145), ("Grid 96x96 (500 steps)", "latency", 0.4805)},
        ),
        (  # dots between a label and its number
            "small\n  Parse time ........ 12.5 ms\n  Memory: ........... 2.5 MB\n"
            "large\n  Parse time ........ 99.5 ms\n  Memory: ........... 8.5 MB\n",
            4,
            {("small", "parse_time", 0.0125), ("large", "memory_used", 8.5e6)},
        ),
        (  # titles that end with a colon, and times without a usual name
            "deflate:\n  Packing time = 1.5 s\n  Packed rate = 12.5 MB/s\n\nnone:\n  Packing time = 0.5 s\n  Packed rate = 99 MB/s\n",
            4,
            {("deflate", "packing_time", 1.5), ("none", "bandwidth", 99e6)},
        ),
    ],
)  # fmt: skip
def test_results_that_are_printed_in_blocks_are_read(
    text: str, numbers: int, values: set[tuple[object, str, float]]
) -> None:
    table = PeoplesTable("out.txt", text, numbers)
    proposal = propose_file(LogFiles.of({"out.txt": text.encode()}).file("out.txt"), {})
    read = read_with(proposal.toml, table)
    assert len(read) == numbers
    found = {
        (next(iter(run.factors.get(name) for name in ("section", "section_1", "clients") if name in run.factors), None),
         x.metric, round(x.value, 9))
        for run, x in read
    }  # fmt: skip
    assert values <= found
    cases = [
        (run.factors.get("case"), x.metric, x.statistic, tuple(sorted(run.factors.items())))
        for run, x in read
    ]
    assert len(set(cases)) == numbers


@pytest.mark.parametrize(
    "text",
    [
        "Elapsed time: 4.25 s\nThroughput: 240.5 MB/s\n\nElapsed time: 14.25 s\nThroughput: 71.5 MB/s\n",
        "Host: a\nMemory: 16 GB\nClock: 3.5 GHz\nDisk: 512 GB\n",  # facts of a machine
    ],
)
def test_blocks_that_nothing_distinguishes_are_not_read(text: str) -> None:
    assert printed_blocks(LogFiles.of({"out.txt": text.encode()}).file("out.txt")) is None


@pytest.mark.parametrize(
    "text",
    [
        "step 1: 12.5 ms\nstep 2: 13.5 ms\nstep 3: 12.75 ms\nend: 40.5 ms\n",  # steps
        "a: 12.5 ms\nb: 13.5 ms\n\na: 2.5 ms\nb: 3.5 ms\n",  # what differs between the parts is not said
        "n=1\na: 12.5 ms\nb: 13.5 ms\nn=2\na: 2.5 ms\nmode=x\nb: 3.5 ms\n",  # for which results is the mode?
        "a: 12.5 ms of 3\nb: 13.5 ms of 3\nc: 2.5 ms of 3\n",
    ],
)
def test_printed_lines_that_nothing_distinguishes_are_not_read(text: str) -> None:
    assert printed_results(LogFiles.of({"out.txt": text.encode()}).file("out.txt")) is None


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("goos: linux\nBenchmarkGet-8  91240  13.04 ns/op  0 B/op\nBenchmarkPut-8  631  1894 ns/op  143 p50-ns\n", "go_bench reads"),
        ("fft/8   time:   [4.10 µs 4.12 µs 4.14 µs]\n        change: [-3.1 % -2.6 % -2.2 %]\n" * 4, "criterion_text reads"),
        ("== a ==\nclients: 4\nlatency average = 0.15 ms\ntps = 7141.5 (all)\n" * 2, '2 blocks .*"clients"'),
        ("Size 64:\n  plain: 12.5\n  tiled: 8.5\nSize 128:\n  plain: 99.5\n  tiled: 30.5\n", '"value" a setting or a result'),
        ("Total time    12.5\nPeak memory   512\nThroughput    80.5\n", '"Peak memory" has no unit'),
        ("| Part | State |\n|--|--|\n| reader | done |\n| writer | open |\n", "a table of words alone"),
        (
            '{"config": {"engines": ["a", "b"], "sizes": [1, 2]}, "results": {"a": {"p50": 1.25, "p99": 7.5},'
            ' "b": {"p50": 1.5, "p99": 9.75}}}',
            '"p50" a statistic of one metric',
        ),
        ('{"tags": ["C++"], "load": 418.5, "result": [[[0.5, 0.25]], [[1.5, 1.25]]]}', '"result" is a list of lists'),
        (
            "Echo, 1 core\n\nMetric   Unit    kernel   bypass\n[ 64 B ]\n  Rate     Mpps      1.12     9.84\n"
            "  RTT      us        14.2      6.1\n  Drops    packets  18 402      7\n",
            "fixed width",
        ),
        (
            '{"results": [{"command": "a", "mean": 0.5, "stddev": 0.1, "median": 0.5, "user": 0.1, "system": 0.1,'
            ' "min": 0.25, "max": 0.75, "times": [0.25, 0.75], "exit_codes": [0, 0]}]}',
            "hyperfine reads this file without a definition",
        ),
    ],
)  # fmt: skip
def test_a_file_without_a_proposal_says_what_it_is(text: str, fact: str) -> None:
    with pytest.raises(RequestError, match=fact):
        propose_file(LogFiles.of({"file.txt": text.encode()}).file("file.txt"), {})


def test_a_row_of_zeros_has_no_times_and_rates() -> None:
    table = PeoplesTable(
        "web.csv", "cfg,req/s,p50 ms,errors\na,120.5,12.5,0\nb,0,0,0\nc,98.25,18.5,0\n", 9, ()
    )
    proposal = proposed(table)
    assert proposal is not None
    assert (proposal.read, proposal.numbers) == (7, 9)
    assert 'line 3: request_throughput (step) is zero: "0 requests/s"; not used' in proposal.notes
    assert 'line 3: latency (step) is zero: "0 ms"; not used' in proposal.notes
