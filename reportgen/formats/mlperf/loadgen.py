"""Read results of LoadGen (MLPerf inference): `mlperf_log_detail.txt`, else `mlperf_log_summary.txt`.

A file becomes a run without steps: LoadGen reduces the latencies of all queries itself. Each statistic is a
Run with the factor `statistic`, and `part_of`. The result of a scenario is the rate of Offline and Server,
and a percentile of SingleStream and MultiStream, for which LoadGen estimates an upper bound ("p90
estimate"). A result that is not valid (too short, too slow for its scenario) has failed and has no number.
Runs for accuracy and for compliance measure no speed and are not runs.

In a submission (`<division>/<submitter>/results/<system>/<benchmark>/<scenario>/performance/run_1`) the
folders and `systems/<system>.json` say what ran where.

Format: https://github.com/mlcommons/inference, loadgen/results.cc and logging.cc.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue, Finding
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.mlperf.systems import read_system
from reportgen.formats.parsing.json_values import is_number, load_leading, scalar, table
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import TextLog, TextSign, read_with_warnings
from reportgen.sources.logfiles import LogFiles

_NAME = "loadgen"
_NAMESPACE = b'"namespace": "mlperf::logging"'
_TITLE = b"MLPerf Results Summary"
_DETAIL = "mlperf_log_detail.txt"
_SIGNS = (
    # Surer than the reader of training logs, which a damaged event may look like.
    TextSign(
        (_NAMESPACE,),
        lazy_pattern(rb':::MLLOG \{"key": "[^"\r\n]{1,200}"[^\r\n]{0,4000}?' + re.escape(_NAMESPACE)),
        0.97,
    ),
    TextSign((_TITLE,), lazy_pattern(rb"^=+[ \r]*\n" + _TITLE, re.MULTILINE), 0.97),
)
_EVENT = lazy_pattern(rb':::MLLOG (\{"key": "[^\r\n]*)')
_LINE = lazy_pattern(rb"^([^:\n]{1,80}):([^\n]{0,200})$", re.MULTILINE)
_ENVIRONMENT = {"sut_name": "system_name", "loadgen_version": "loadgen", "qsl_name": "samples"}
_LIMIT = lazy_pattern(r"(?:effective_(?:server_)?)?(ttft|tpot)_latency(?:_ns| \(ns\))?")
# Of the completed queries; scenarios print one of these.
_RATES = {
    "result_samples_per_second": "throughput",
    "Samples per second": "throughput",
    "result_completed_samples_per_sec": "throughput",
    "Completed samples per second": "throughput",
    "result_tokens_per_second": "output_token_throughput",
    "Tokens per second": "output_token_throughput",
    "result_completed_tokens_per_second": "output_token_throughput",
    "Completed tokens per second": "output_token_throughput",
    # The result of MultiStream in version 0.5: how many streams were served in time.
    "Samples per query": "samples_per_query",
}
# The rate at which queries were sent: the result of Server before version 4 of the rules.
_SCHEDULED = ("result_scheduled_samples_per_sec", "Scheduled samples per second")
_STATISTIC = r"(min|max|mean|[0-9]{1,2}(?:\.[0-9]{1,2})?)(?:th)?"
_LATENCIES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("latency", lazy_pattern(rf"result_{_STATISTIC}(?:_percentile)?_latency_ns")),
    ("query_latency", lazy_pattern(rf"result_{_STATISTIC}(?:_percentile_per)?_query_latency_ns")),
    ("ttft", lazy_pattern(rf"result_first_token_{_STATISTIC}(?:_percentile)?_latency_ns")),
    ("tpot", lazy_pattern(rf"result_time_per_output_token_{_STATISTIC}_percentile_ns")),
    ("tpot", lazy_pattern(r"result_time_to_output_token_(min|max|mean)")),
    ("latency", lazy_pattern(rf"{_STATISTIC}(?: percentile)? latency \(ns\)", re.IGNORECASE)),
    ("ttft", lazy_pattern(rf"{_STATISTIC}(?: percentile)? first token latency \(ns\)", re.IGNORECASE)),
    (
        "tpot",
        lazy_pattern(rf"{_STATISTIC}(?: percentile)? time (?:to|per) output token \(ns\)", re.IGNORECASE),
    ),
)
_STATISTICS = {"min": "minimum", "max": "maximum", "mean": "mean", "p50": "median"}
# The percentile that is the result of a scenario.
_PERCENTILES = {"SingleStream": "p90", "MultiStream": "p99"}
_ESTIMATES = {"early_stopping_latency_ss": "SingleStream", "early_stopping_latency_ms": "MultiStream"}
_ESTIMATE = lazy_pattern(r"Early stopping ([0-9]{2})(?:\.0)?th percentile estimate")
_NO_PERFORMANCE = lazy_pattern(r"accuracy|ranging|TEST[0-9]{2}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _LoadgenEntry:
    """A line of a summary or an event of the details: its key or label, its value, its line."""

    key: str
    value: Any
    line: int


@dataclass(frozen=True, slots=True)
class _LoadgenNumber:
    """A number of a result, in s or per second; `statistic` is "" for a rate."""

    metric: str
    statistic: str
    value: float
    text: str
    line: int


def claims(files: LogFiles) -> Claim | None:
    """Claim the details or the summary of a run, with the files beside it that say more."""
    claim = next(filter(None, (sign.claim(files) for sign in _SIGNS)), None)
    if claim is None:
        return None
    layout = _SubmissionPath(files)
    return replace(claim, beside=(_DETAIL, *([layout.description] if layout.system else [])))


def read(log: TextLog) -> Results:
    """Yield a run for each statistic of the file; or a note on why it is not a run."""
    is_summary = _NAMESPACE not in log.content
    if is_summary and log.path != _DETAIL and _has_details(log.files):
        yield _note(log, f"a summary of {_DETAIL}, which is beside it; read from there")
        return
    layout = _SubmissionPath(log.files)
    entries = _lines(log) if is_summary else _events(log)
    known = {entry.key: entry.value for entry in entries}
    mode = str(known.get("effective_test_mode") or known.get("Mode") or "")
    if mode.startswith("Accuracy") or layout.not_a_run:
        yield _note(log, f"a run for {layout.not_a_run or 'accuracy'}: it measures no speed")
        return
    scenario = str(known.get("effective_scenario") or known.get("Scenario") or "").replace(" ", "")
    factors, environment = _facts(known, mode, scenario, layout, log.files)
    status, findings = _status(log, known.get("result_validity", known.get("Result is")))
    numbers = [] if status == "failed" else list(_numbers(entries, scenario, is_summary=is_summary))
    findings += log.malformed.findings()
    groups: dict[str, list[_LoadgenNumber]] = {}
    for number in numbers:
        groups.setdefault(number.statistic, []).append(number)
    for position, (statistic, group) in enumerate((groups or {"": []}).items()):
        run = ResultRun.of_file(_NAME, log.files, 0, position + 1 if len(groups) > 1 else None)
        run.factors = factors | ({"statistic": statistic} if statistic else {})
        run.environment, run.status = dict(environment), status
        for number in group:
            run.add_aggregate(number.metric, number.value, number.text, statistic or "total", 0, number.line)
        run.findings += [replace(each, subject=run.id) for each in findings if position == 0]
        yield replace(run.run(), part_of=1 if len(groups) > 1 else 0)


FORMAT = Format(
    _NAME,
    "Results of LoadGen (MLPerf inference).",
    claims,
    lambda files: read_with_warnings(TextLog(files), read),
    (_NAMESPACE, _TITLE),
    version=2,
)


class _SubmissionPath:
    """The facts in the path of a log in a submission; "" outside of submissions."""

    def __init__(self, files: LogFiles) -> None:
        folders = files.source(files.path).path.split("/")[:-1]
        at = len(folders) - 1 - folders[::-1].index("results") if "results" in folders else -1
        inside = folders[at + 1 :] if at >= 0 else []
        is_submission = len(inside) >= 3
        self.system, self.benchmark, self.scenario = inside[:3] if is_submission else ("", "", "")
        self.submitter = folders[at - 1] if is_submission and at >= 1 else ""
        self.description = f"{'../' * (len(folders) - at)}systems/{self.system}.json"
        odd = next((name for name in reversed(folders) if _NO_PERFORMANCE.fullmatch(name)), "")
        self.not_a_run = odd if is_submission or odd.lower() in ("accuracy", "ranging") else ""


def _has_details(files: LogFiles) -> bool:
    head = files.read_sibling_head(_DETAIL, 1 << 16)
    return head is not None and b":::MLLOG" in head[0]


def _note(log: TextLog, message: str) -> Finding:
    return Finding("note", Rule.READ_EXCERPT, log.id, message, log.source)


def _events(log: TextLog) -> list[_LoadgenEntry]:
    """Return the events of the details, the last of each key."""
    entries: dict[str, _LoadgenEntry] = {}
    for match, line in _with_lines(log, _EVENT):
        event = table(load_leading(match[1]))
        key = event.get("key")
        if isinstance(key, str):
            entries[key] = _LoadgenEntry(key, event.get("value"), line)
        else:
            log.malformed.add(line, "an event of LoadGen that is not JSON")
    return list(entries.values())


def _lines(log: TextLog) -> list[_LoadgenEntry]:
    """Return the lines `label: value` of a summary."""
    entries: list[_LoadgenEntry] = []
    for match, line in _with_lines(log, _LINE):
        label, value = (text.decode("utf-8", "replace").strip() for text in match.groups())
        entries.append(_LoadgenEntry(label.lstrip("* "), value, line))
    return entries


def _with_lines(log: TextLog, pattern: re.Pattern[bytes]) -> Iterator[tuple[re.Match[bytes], int]]:
    """Yield (match, line) of each match in a log."""
    matches = [*pattern.finditer(log.content)]
    yield from zip(matches, log.lines([match.start() for match in matches]).tolist(), strict=True)


def _facts(
    known: Mapping[str, Any], mode: str, scenario: str, layout: _SubmissionPath, files: LogFiles
) -> tuple[dict[str, FactorValue], dict[str, FactorValue]]:
    """Return (factors, environment). A log of Interactive says Server: its folder and its limits differ."""
    is_interactive = layout.scenario.lower() == "interactive"
    stated = {
        "mode": "inference",
        "item": "sample",
        "scenario": "Interactive" if is_interactive else scenario,
        "test_mode": mode,
        "benchmark": layout.benchmark,
        "system": layout.system,
        "submitter": layout.submitter,
    }
    factors: dict[str, FactorValue] = {name: text for name, text in stated.items() if text}
    for key, value in known.items():
        limit = _LIMIT.fullmatch(key)
        if limit and 0 < (nanoseconds := _float(value)) < 1e15:
            factors[f"{limit[1]}_limit_ms"] = scalar(nanoseconds / 1e6) or 0
    environment = {name: value for key, name in _ENVIRONMENT.items() if (value := scalar(known.get(key)))}
    if text := known.get("SUT name"):
        environment["system_name"] = str(text)[:80]
    description = files.read_sibling(layout.description) if layout.system else None
    if description:
        of_system, facts = read_system(description)
        factors, environment = of_system | factors, facts | environment
    return factors, environment


def _numbers(entries: list[_LoadgenEntry], scenario: str, *, is_summary: bool) -> Iterator[_LoadgenNumber]:
    """Yield the numbers of a result, the first of each metric and statistic.

    In Offline all queries are sent at once, and their latency is the length of the queue.
    """
    seen: set[tuple[str, str]] = set()
    known = {entry.key: entry.value for entry in entries}
    is_old = re.match(r"[0-3]\.", str(known.get("loadgen_version", ""))) is not None
    is_result = True  # the lines of a summary up to the validity
    for entry in entries:
        number = _number(entry, scenario, scheduled=is_old or (is_summary and is_result))
        is_result = is_result and entry.key != "Result is"
        if number and (number.metric, number.statistic) not in seen:
            seen.add((number.metric, number.statistic))
            yield number


def _number(entry: _LoadgenEntry, scenario: str, *, scheduled: bool) -> _LoadgenNumber | None:
    value = _float(entry.value)
    if not value > 0:
        return None
    if metric := _rate(entry.key, scheduled=scheduled):
        return _LoadgenNumber(metric, "", value, f"{value:g}", entry.line)
    metric, statistic = _estimate(entry.key, scenario) or _latency(entry.key, scenario)
    if not metric or scenario == "Offline":
        return None
    return _LoadgenNumber(metric, statistic, value / 1e9, f"{value:g} ns", entry.line)


def _rate(key: str, *, scheduled: bool) -> str:
    """Return the metric of a rate, "" for other keys and for a rate that is not the result by its version."""
    if key in _SCHEDULED:
        return "throughput" if scheduled else ""
    is_replaced = scheduled and key == "result_completed_samples_per_sec"
    return "" if is_replaced else _RATES.get(key, "")


def _estimate(key: str, scenario: str) -> tuple[str, str] | None:
    """Return (metric, statistic) of an estimate, ("", "") if it is for another scenario."""
    percentile = _PERCENTILES.get(scenario, "")
    printed = _ESTIMATE.fullmatch(key)
    if not printed and key not in _ESTIMATES:
        return None
    is_own = f"p{printed[1]}" == percentile if printed else _ESTIMATES[key] == scenario
    return ("latency", f"{percentile} estimate") if is_own else ("", "")


def _latency(key: str, scenario: str) -> tuple[str, str]:
    """Return (metric, statistic) of a latency; in the details of MultiStream, of its queries of 8 samples."""
    for metric, pattern in _LATENCIES:
        match = pattern.fullmatch(key)
        if match and metric == "query_latency":
            return "latency", _statistic(match[1])
        if match and not (metric == "latency" and scenario == "MultiStream" and key.startswith("result_")):
            return metric, _statistic(match[1])
    return "", ""


def _statistic(text: str) -> str:
    lower = text.lower()
    if lower[0].isdigit():
        lower = f"p{float(lower):g}"
    return _STATISTICS.get(lower, lower)


def _float(value: object) -> float:
    """Return a number of an event or the text of a line as a float, NaN for anything else."""
    if is_number(value):
        return float(value)
    text = str(value) if isinstance(value, str) else ""
    return (
        float(text)
        if re.fullmatch(r"[0-9]{1,30}(?:\.[0-9]{0,12})?(?:e[+-]?[0-9]{1,2})?", text)
        else float("nan")
    )


def _status(log: TextLog, validity: object) -> tuple[Any, list[Finding]]:
    """Return (status, findings): only a valid result counts."""
    if validity == "VALID":
        return "complete", []
    if validity is None:
        message = "the log has no result_validity"
        return "partial", [Finding("warning", Rule.READ_INCOMPLETE_RUN, log.id, message, log.source)]
    message = f'LoadGen\'s result is "{str(validity)[:40]}": the run breaks a rule'
    return "failed", [Finding("warning", Rule.READ_FAILED_RUN, log.id, message, log.source)]
