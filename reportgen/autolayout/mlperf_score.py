"""The score of MLPerf, where a report has the logs of submissions: the table that their reader expects first.

The score is the mean of the runs without the fastest and the slowest, of times scaled to the reference
convergence. It needs three runs; of 3D U-Net, four are left out at either end.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from reportgen.autolayout.candidates import table_id
from reportgen.core.factors import factors_key, matches
from reportgen.core.metrics import metric_of
from reportgen.core.model import Run
from reportgen.formats.registry import suite_of
from reportgen.protocol.definition import KNOWN, Protocol
from reportgen.tables.spec import TableSpec

SCORED = "scaled_time_to_train"
_TITLE = "MLPerf score"
_NOTE = (
    "Computed here by the rule of MLPerf: the mean without the fastest and the slowest run. "
    "The result that MLCommons published counts."
)
_RULES = {"unet3d": KNOWN["mlperf-unet3d"]}
_USUAL_RULE = KNOWN["mlperf"]
_SCORES = {rule.name for rule in (_USUAL_RULE, *_RULES.values())}


def are_scored(runs: Iterable[Run]) -> bool:
    """Return whether all cases have enough runs for a score: elsewhere, cells would be empty."""
    cases = Counter(factors_key(run.factors) for run in runs)
    return min(cases.values(), default=0) > 2 * _USUAL_RULE.drop


def are_of_mlperf(runs: Iterable[Run]) -> bool:
    """Return whether any of the runs is one of MLPerf."""
    return any(suite_of(run.format) == "mlperf" for run in runs)


def score_table(table: TableSpec, runs: Iterable[Run]) -> TableSpec:
    """Return a table of scaled times as scores; as it is if benchmarks of several rules are in it."""
    shown = {str(run.factors.get("benchmark")) for run in runs if matches(run.factors, table.where)}
    rules = {_rule_of(benchmark).name for benchmark in shown}
    if len(rules) != 1:
        return table
    title = table.title.replace(metric_of(SCORED).title, _TITLE, 1)
    id = table_id(title)
    return replace(table, id=id, title=title, protocol=KNOWN[rules.pop()], notes=(*table.notes, _NOTE))


def measure_of(table: TableSpec) -> str:
    """Return what a table measures, in words."""
    is_score = table.metrics[0] == SCORED and table.protocol.name in _SCORES
    return _TITLE if is_score else metric_of(table.metrics[0]).title


def _rule_of(benchmark: str) -> Protocol:
    return _RULES.get(benchmark, _USUAL_RULE)
