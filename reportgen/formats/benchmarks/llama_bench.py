"""Read llama-bench's results: a JSON array, JSON lines, CSV, or the Markdown table that it prints by default.

Each test (prompt processing, text generation, both) becomes one Run with the mean rate over its repetitions,
and in JSON the rate of each repetition. Repetitions ran in one process after a warm-up that is not printed,
so they are not repeats of a run. `avg_ts` is the mean of the rates, not tokens over mean time; the two differ
a little. The lines around a table name the devices (CUDA, ROCm, Vulkan) and the build.

Format: https://github.com/ggml-org/llama.cpp, tools/llama-bench.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reportgen.core.factors import parse_scalar
from reportgen.core.model import FactorValue, Run
from reportgen.formats.base import Results
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.csv_cells import typed_records
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import NUMBER, JsonSign, TextLog, TextSign, format_of
from reportgen.formats.parsing.timestamps import wall_time

_NAME = "llama_bench"
_KEYS = (b'"avg_ts"', b'"n_gen"', b'"build_commit"')
_TABLE_HEAD = re.compile(rb"^\| *model *\|[^\n]{0,400}\| *test *\| *t/s *\| *\r?$", re.MULTILINE)
_CSV_HEAD = re.compile(rb"^build_commit,build_number,[^\r\n]{0,2000},avg_ts,stddev_ts\b", re.MULTILINE)
_DEVICE = re.compile(
    r" {1,4}(Device \d{1,2}): ([^,]{1,99}), "
    r"|(ggml_vulkan: (?:\d{1,2} =|Using)) ([^|]{1,99}?)(?: \([^()|]{1,60}\))? \|"
)
_BUILD = re.compile(rb"^build: ([0-9a-f]{6,40}) \(([0-9]{1,9})\)", re.MULTILINE)
_TEST = re.compile(r"(?:pp ?(\d{1,9}))?\+?(?:tg ?(\d{1,9}))?(?: @ d(\d{1,9}))?")
# Windows consoles turn the sign between the mean and its deviation into two or three other characters.
_RATE = re.compile(rf"({NUMBER.decode()}) [^\s|]{{1,3}} ({NUMBER.decode()})")
# Keys that describe the machine or the moment; all others were chosen.
_ENVIRONMENT = ("build_commit", "build_number", "cpu_info", "model_filename", "cuda", "vulkan", "metal",
                "gpu_blas", "blas", "sycl", "kompute", "opencl")  # fmt: skip
_RESULTS = ("test_time", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts", "samples_ns", "samples_ts", "gpu_info")
_RENAMED = {"model_type": "model", "ngl": "n_gpu_layers", "backend": "backends", "fa": "flash_attn",
            "sm": "split_mode", "mg": "main_gpu", "ts": "tensor_split", "nkvo": "no_kv_offload"}  # fmt: skip

# The line that a result begins in, and its keys.
Result = tuple[int, Mapping[str, Any]]


def read(log: TextLog) -> Results:
    """Yield a run for each test."""
    content, malformed = log.content, log.malformed
    start = content.lstrip()[:1]
    if start == b"[":
        results: Iterable[Result] = _array(content, malformed)
    elif start == b"{":
        results = json_values.objects(content, malformed)
    elif head := _CSV_HEAD.search(content):
        results = typed_records(content, malformed, head.start())
    else:
        results = _table(content, malformed)
    number = 0
    for line, result in results:
        if "avg_ts" in result:
            number += 1
            run = ResultRun.of_file(_NAME, log.files, line, number, framework="llama.cpp", item="token")
            yield _run(run, result)
        else:
            malformed.add(line, "not the result of a test")
    yield from malformed.findings()


FORMAT = format_of(
    _NAME,
    "Results of llama-bench: JSON, JSON lines, CSV or Markdown.",
    (
        JsonSign(_KEYS, 1.0, (b"{", b"[")),
        TextSign((b" t/s ",), _TABLE_HEAD, 0.9),
        TextSign((b",avg_ts,stddev_ts",), _CSV_HEAD, 1.0),
    ),
    read,
)


def _array(content: bytes, malformed: Malformed) -> Iterator[Result]:
    """Yield the results of an array, each with the line of its own average."""
    document = json_values.load(content)
    if not isinstance(document, list):
        malformed.add(1, "not a JSON array; it may be truncated")
    tests = [test for test in json_values.items(document) if isinstance(test, dict)]
    yield from zip(json_values.lines_of(content, b'"avg_ts"', len(tests)), tests, strict=True)


def _table(content: bytes, malformed: Malformed) -> Iterator[Result]:
    """Yield the rows of the tables with the keys that JSON has."""
    builds = set(_BUILD.findall(content))
    build = builds.pop() if len(builds) == 1 else None
    shared = {"build_commit": build[0].decode(), "build_number": int(build[1])} if build else {}
    head: list[str] = []
    devices: dict[str, str] = {}
    for line, text in enumerate(content.decode("utf-8", "replace").split("\n"), 1):
        if not text.startswith("|"):
            # The backends print warnings between rows; an empty line ends a table and its list of devices.
            if head and not text.strip():
                head, devices = [], {}
            if device := _DEVICE.match(text):
                # Each process lists its devices from the first one, also a process that prints no table.
                place, name = device[1] or device[3], device[2] or device[4]
                devices = {place: name} if place in devices else {**devices, place: name}
            continue
        cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
        if "t/s" in cells and "test" in cells:
            head = cells
        elif head and not set(text) <= set("|-: \r"):
            row = dict(zip(head, cells, strict=False))
            rate = _RATE.fullmatch(row.pop("t/s", "")) if len(cells) == len(head) else None
            if not rate:
                malformed.add(line, "not a row of the table")
                continue
            settings = {name: parse_scalar(cell) for name, cell in row.items() if name != "test"}
            keys = {"device": ", ".join(devices.values()), **shared, **settings, **_test_keys(row["test"])}
            yield line, {**keys, "avg_ts": float(rate[1])}


def _test_keys(text: str) -> dict[str, FactorValue]:
    """Return the keys of a test from its name, such as `pp512 @ d4096`."""
    keys: dict[str, FactorValue] = {"test": text.partition(" @ ")[0].replace(" ", "")}
    if test := _TEST.fullmatch(text):
        keys |= {
            name: int(n or 0) for name, n in zip(("n_prompt", "n_gen", "n_depth"), test.groups(), strict=True)
        }
    return keys


def _run(run: ResultRun, result: Mapping[str, Any]) -> Run:
    for key, value in json_values.scalars(result).items():
        if key not in _RESULTS:
            (run.environment if key in _ENVIRONMENT else run.factors)[_RENAMED.get(key, key)] = value
    if device := json_values.scalar(result.get("gpu_info")):
        run.factors["device"] = device
    prompt, generated = (json_values.whole(result.get(key)) or 0 for key in ("n_prompt", "n_gen"))
    names = [f"{name}{n}" for name, n in (("pp", prompt), ("tg", generated)) if n]
    run.factors.setdefault("test", "+".join(names) or "none")
    run.samples_per_step = float(prompt + generated) or None
    run.set_start(wall_time(str(result.get("test_time", "")).encode()))
    mean = json_values.number(result["avg_ts"])
    rates = [json_values.number(rate) for rate in json_values.items(result.get("samples_ts"))]
    if mean >= 0:
        run.add_aggregate("throughput", mean, f"{mean:g} tokens/s", "mean", len(rates), only_finite=False)
    for rate in rates:
        run.add_aggregate("throughput", rate, f"{rate:g} tokens/s", "sample", 1, only_finite=False)
    return run.run()
