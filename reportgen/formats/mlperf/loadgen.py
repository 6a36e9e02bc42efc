"""Read `mlperf_log_detail.txt` of LoadGen, which drives the benchmarks of MLPerf inference.

A file becomes one Run without steps: LoadGen reduces the latencies of all queries itself. Its events have the
prefix of MLPerf's training logs, another order of fields, and times since the start of the program. A log
ends with `result_validity`; a result that is not valid (too short, too slow for its scenario) has failed.

Format: https://github.com/mlcommons/inference, loadgen/results.cc and logging.cc.
"""

import re
from collections.abc import Mapping
from typing import Any

from reportgen.core.rules import Rule
from reportgen.formats.base import Results
from reportgen.formats.parsing.json_values import is_number, load_leading, scalar, table
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import TextLog, TextSign, format_of

_NAME = "loadgen"
_NAMESPACE = b'"namespace": "mlperf::logging"'
_SIGN = re.compile(rb':::MLLOG \{"key": "[^"\r\n]{1,200}"[^\r\n]{0,4000}?' + re.escape(_NAMESPACE))
_EVENT = re.compile(rb':::MLLOG (\{"key": "[^\r\n]*)')
_FACTORS = {"effective_scenario": "scenario", "effective_test_mode": "test_mode"}
_ENVIRONMENT = {"sut_name": "system_name", "loadgen_version": "loadgen", "qsl_name": "samples"}
# Of the queries that were completed; scenarios print one of these.
_RATES = {
    "result_samples_per_second": "throughput",
    "result_completed_samples_per_sec": "throughput",
    "result_tokens_per_second": "token_throughput",
    "result_completed_tokens_per_second": "token_throughput",
}
_LATENCY = re.compile(r"result_(?:(min|max|mean)|([0-9]{1,2}\.[0-9]{2})_percentile)_latency_ns")
_STATISTICS = {"min": "minimum", "max": "maximum", "mean": "mean", "50.00": "median"}


def read(log: TextLog) -> Results:
    """Yield the run of the file."""
    run = ResultRun.of_file(_NAME, log.files, mode="inference", item="sample")
    events, lines = _events(log)
    for names, values in ((_FACTORS, run.factors), (_ENVIRONMENT, run.environment)):
        known = {name: scalar(events.get(key)) for key, name in names.items()}
        values |= {name: value for name, value in known.items() if value is not None}
    for key, value in events.items():
        if is_number(value):
            _add_figure(run, key, float(value), lines[key])
    _add_status(run, events.get("result_validity"))
    run.findings += log.malformed.findings()
    yield run.run()


FORMAT = format_of(
    _NAME,
    "Detailed logs of LoadGen (MLPerf inference).",
    # Surer than the reader of training logs, which a damaged event may look like.
    (TextSign((_NAMESPACE,), _SIGN, 0.97),),
    read,
)


def _events(log: TextLog) -> tuple[Mapping[str, Any], Mapping[str, int]]:
    """Return the last value of each key, and its line."""
    matches = [*_EVENT.finditer(log.content)]
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for match, line in zip(matches, log.lines([match.start() for match in matches]).tolist(), strict=True):
        event = table(load_leading(match[1]))
        key = event.get("key")
        if isinstance(key, str):
            values[key], lines[key] = event.get("value"), line
        else:
            log.malformed.add(line, "an event of LoadGen that is not JSON")
    return values, lines


def _add_figure(run: ResultRun, key: str, value: float, line: int) -> None:
    if key in _RATES:
        run.add_aggregate(_RATES[key], value, f"{value:g}", "mean", 0, line)
    elif latency := _LATENCY.fullmatch(key):
        statistic = (
            _STATISTICS.get(latency[1] or latency[2]) or f"percentile {latency[2].rstrip('0').rstrip('.')}"
        )
        run.add_aggregate("latency", value / 1e9, f"{value:g} ns", statistic, 0, line)


def _add_status(run: ResultRun, validity: object) -> None:
    """Set the status: only a valid result counts, and a run for accuracy has none."""
    if validity == "VALID":
        return
    if validity is not None:
        run.status = "failed"
        run.note(Rule.READ_FAILED_RUN, f'LoadGen\'s result is "{str(validity)[:40]}": the run breaks a rule')
    elif run.factors.get("test_mode") != "AccuracyOnly":
        run.status = "partial"
        run.note(Rule.READ_INCOMPLETE_RUN, "the log has no result_validity")
