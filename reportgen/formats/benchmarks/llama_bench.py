"""Read llama-bench's results: a JSON array, JSON lines, CSV, or the Markdown table that it prints by default.

Each test (prompt processing, text generation, both) becomes one Run with the mean rate over its
repetitions, and in JSON each repetition's. Repetitions ran in one process after a warm-up that is not
shown, so they are no repeats of a run. `avg_ts` is the mean of the rates, not tokens over mean time; the
two differ a little. What stands around a table tells the devices (CUDA, ROCm, Vulkan) and the build.

Format: https://github.com/ggml-org/llama.cpp, tools/llama-bench.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from typing import Any

from reportgen.core.model import Aggregate, FactorValue, Finding, Run, Source
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.csv_cells import rows, typed
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.text_log import NUMBER, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "llama_bench"
_KEYS = (b'"avg_ts"', b'"n_gen"', b'"build_commit"')
_LAST = b",avg_ts,stddev_ts"
_HEADING = re.compile(rb"^\| *model *\|[^\n]{0,400}\| *test *\| *t/s *\| *\r?$", re.MULTILINE)
_COLUMNS = re.compile(rb"^build_commit,build_number,[^\r\n]{0,2000},avg_ts,stddev_ts\b", re.MULTILINE)
_DEVICE = re.compile(
    r" {1,4}(Device \d{1,2}): ([^,]{1,99}), "
    r"|(ggml_vulkan: (?:\d{1,2} =|Using)) ([^|]{1,99}?)(?: \([^()|]{1,60}\))? \|"
)
_BUILD = re.compile(rb"^build: ([0-9a-f]{6,40}) \(([0-9]{1,9})\)", re.MULTILINE)
_TEST = re.compile(r"(?:pp ?(\d{1,9}))?\+?(?:tg ?(\d{1,9}))?(?: @ d(\d{1,9}))?")
# Consoles of Windows make two or three other characters of the sign between the mean and its deviation.
_RATE = re.compile(rf"({NUMBER.decode()}) [^\s|]{{1,3}} ({NUMBER.decode()})")
# What describes the machine or the moment; everything else was chosen.
_ENVIRONMENT = ("build_commit", "build_number", "cpu_info", "model_filename", "cuda", "vulkan", "metal",
                "gpu_blas", "blas", "sycl", "kompute", "opencl")  # fmt: skip
_RESULTS = ("test_time", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts", "samples_ns", "samples_ts", "gpu_info")
_RENAMED = {"model_type": "model", "ngl": "n_gpu_layers", "backend": "backends", "fa": "flash_attn",
            "sm": "split_mode", "mg": "main_gpu", "ts": "tensor_split", "nkvo": "no_kv_offload"}  # fmt: skip


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with the keys of a result, or with the heading of the table or of the columns."""
    return (
        json_values.claim(files, _KEYS, 1.0)
        or claim(files, b" t/s ", _HEADING, 0.9)
        or claim(files, _LAST, _COLUMNS, 1.0)
    )


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield a run for each test."""
    content = files.bytes(files.path)
    malformed = Malformed(files.id(files.path), files.source(files.path).path)
    begins = content.lstrip()[:1]
    if begins == b"[":
        results = _array(content, malformed)
    elif begins == b"{":
        results = list(json_values.objects(content, malformed))
    elif heading := _COLUMNS.search(content):
        results = _csv(content[heading.start() :], content.count(b"\n", 0, heading.start()), malformed)
    else:
        yield from _table_runs(files, content, malformed)
        yield from malformed.findings()
        return
    number = 0
    for line, found in results:
        if "avg_ts" in found:
            number += 1
            yield _run(files, number, line, found)
        else:
            malformed.add(line, "no result of a test")
    yield from malformed.findings()


FORMAT = Format(
    _NAME,
    "Results of llama-bench: JSON, JSON lines, CSV or Markdown.",
    claims,
    read,
    marks=(_KEYS[0], b" t/s ", _LAST),
)


def _array(content: bytes, malformed: Malformed) -> list[tuple[int, dict[str, Any]]]:
    """Return the results of an array, each with the line of its own average."""
    found = json_values.load(content)
    if not isinstance(found, list):
        malformed.add(1, "not a JSON array: was it cut?")
        return []
    lines = [content.count(b"\n", 0, match.start()) + 1 for match in re.finditer(rb'"avg_ts"', content)]
    tests = [one for one in found if isinstance(one, dict)]
    return list(zip(lines if len(lines) == len(tests) else [1] * len(tests), tests, strict=True))


def _csv(content: bytes, before: int, malformed: Malformed) -> list[tuple[int, dict[str, Any]]]:
    """Return the results of a CSV file, where all cells are quoted, with the lines that they begin in."""
    found: list[tuple[int, dict[str, Any]]] = []
    heading: list[str] = []
    try:
        for line, cells in rows(content.decode("utf-8", "replace")):
            heading = heading or cells
            if cells == heading:
                continue
            result: dict[str, Any] = {}
            if len(cells) == len(heading):
                result = {name: typed(cell) for name, cell in zip(heading, cells, strict=True) if cell}
            found.append((line + before, result))
    except csv.Error:
        malformed.add(before + 1, "not CSV")
    return found


def _run(files: LogFiles, number: int, line: int, found: Mapping[str, Any]) -> Run:
    factors: dict[str, FactorValue] = {"framework": "llama.cpp", "item": "token"}
    environment: dict[str, FactorValue] = {}
    for key, value in found.items():
        known = json_values.scalar(value)
        if known is not None and key not in _RESULTS:
            (environment if key in _ENVIRONMENT else factors)[_RENAMED.get(key, key)] = known
    if device := json_values.scalar(found.get("gpu_info")):
        factors["device"] = device
    tokens = [json_values.whole(found.get(key)) or 0 for key in ("n_prompt", "n_gen")]
    factors["test"] = (
        "+".join(f"{name}{n}" for name, n in zip(("pp", "tg"), tokens, strict=True) if n) or "none"
    )
    source = files.source(files.path, line)
    rates = [json_values.number(one) for one in json_values.items(found.get("samples_ts"))]
    mean = json_values.number(found["avg_ts"])
    aggregates = _rates(mean, len(rates), source)
    aggregates += [
        Aggregate(
            "throughput", value=rate, original=f"{rate:g} tokens/s", statistic="sample", n=1, source=source
        )
        for rate in rates
    ]
    return Run(
        files.id(files.path, number),
        _NAME,
        source,
        factors,
        environment,
        samples_per_step=float(sum(tokens)) or None,
        aggregates=tuple(aggregates),
    )


def _rates(mean: float, n: int, source: Source) -> list[Aggregate]:
    return (
        [
            Aggregate(
                "throughput", value=mean, original=f"{mean:g} tokens/s", statistic="mean", n=n, source=source
            )
        ]
        if mean >= 0
        else []
    )


def _table_runs(files: LogFiles, content: bytes, malformed: Malformed) -> Iterator[Run]:
    heading: list[str] = []
    devices: dict[str, str] = {}
    described: dict[str, FactorValue] = {}
    builds = set(_BUILD.findall(content))
    build = builds.pop() if len(builds) == 1 else None
    environment: dict[str, FactorValue] = {}
    if build:
        environment = {"build_commit": build[0].decode(), "build_number": int(build[1])}
    number = 0
    for line, text in enumerate(content.decode("utf-8", "replace").split("\n"), 1):
        if not text.startswith("|"):
            # Warnings of the backends stand between the rows; an empty line ends a table, and its devices.
            if heading and not text.strip():
                heading, devices, described = [], {}, {}
            if device := _DEVICE.match(text):
                # Each process lists its devices from the first, also one that stops before its table.
                place, name = device[1] or device[3], device[2] or device[4]
                devices = {} if place in devices else devices
                devices[place] = name
                described = {"device": ", ".join(devices.values())}
            continue
        cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
        if "t/s" in cells and "test" in cells:
            heading = cells
        elif heading and not set(text) <= set("|-: \r"):
            row = dict(zip(heading, cells, strict=False))
            rate = _RATE.fullmatch(row.get("t/s", "")) if len(cells) == len(heading) else None
            if rate:
                number += 1
                yield _row(files, number, line, row, float(rate[1]), described, environment)
            else:
                malformed.add(line, "not a row of the table")


def _row(
    files: LogFiles,
    number: int,
    line: int,
    row: Mapping[str, str],
    mean: float,
    described: Mapping[str, FactorValue],
    environment: Mapping[str, FactorValue],
) -> Run:
    factors: dict[str, FactorValue] = {"framework": "llama.cpp", "item": "token", **described}
    for name, cell in row.items():
        if name not in ("t/s", "test") and cell:
            factors[_RENAMED.get(name, name)] = typed(cell)
    test = _TEST.fullmatch(row["test"])
    prompt, generated, depth = (int(part or 0) for part in test.groups()) if test else (0, 0, 0)
    factors["test"] = row["test"].partition(" @ ")[0].replace(" ", "")
    if test:
        factors.update(n_prompt=prompt, n_gen=generated, n_depth=depth)
    source = files.source(files.path, line)
    return Run(
        files.id(files.path, number),
        _NAME,
        source,
        factors,
        environment,
        samples_per_step=float(prompt + generated) or None,
        aggregates=tuple(_rates(mean, 0, source)),
    )
