"""Name a report without a definition: what its first table measures, of what, on which devices.

A folder says where logs are, not what they show. Its name is in the title only where a build has several
reports and the title does not say what sets this one apart.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath

from reportgen.autolayout.mlperf_score import measure_of
from reportgen.autolayout.path_roles import models_of
from reportgen.autolayout.sweeps import COLLECTIVE
from reportgen.autolayout.table_layout import SIZES, SUBJECTS, count_combinations
from reportgen.compare.conditions import DEVICE_COUNTS
from reportgen.core.devices import shown_value
from reportgen.core.factors import factor_key, factors_key, matches, value_order, value_text
from reportgen.core.model import FactorValue, Run
from reportgen.report.headline import joined
from reportgen.tables.means import plural
from reportgen.tables.spec import TableSpec
from reportgen.tables.trends import DATE

# The first of these that all logs state says on what they ran.
_MACHINES = ("device", "gpu", "accelerator", "hardware", "system", "cluster")
_FRAMEWORK = ("framework",)
# A title names so many values, of so many characters together; of more it has the number.
_MAX_NAMED, _MAX_CHARS = 3, 60


def report_title(table: TableSpec, runs: Sequence[Run], apart: str = "") -> str:
    """Return the title of a report by its first table.

    apart  a name that no other report of the build has, "" for the only one
    """
    runs = [run for run in runs if run.series or run.aggregates] or runs
    work, machines = _first_known((*SUBJECTS, COLLECTIVE), runs), _first_known(_MACHINES, runs)
    frameworks = "" if work else _first_known(_FRAMEWORK, runs)
    what = _named(work, runs) if work else _model_in_paths(runs)
    title = measure_of(table)
    title += f" of {what}" if what else ""
    title += f" with {_named(frameworks, runs)}" if frameworks else ""
    title += _on(machines, runs) + _by(table, {work, machines, frameworks}, runs)
    is_named = _letters(apart.rpartition(":")[2]) in _letters(title)
    return title if is_named else f"{title} ({apart})"


def _model_in_paths(runs: Sequence[Run]) -> str:
    """Return the only model that the paths of all logs name, if none states one; else ""."""
    if any(name in run.factors for run in runs for name in SUBJECTS):
        return ""
    paths = [run.source.path.removesuffix(PurePosixPath(run.source.path).suffix).split("/") for run in runs]
    models = [{model for part in path for model in models_of(part)} for path in paths]
    common = set[str].intersection(*models) if models else set()
    return common.pop() if len(common) == 1 else ""


def _first_known(names: Sequence[str], runs: Sequence[Run]) -> str:
    """Return the first of these factors that all logs state, "" for none: some say nothing of the others."""
    return next((name for name in names if _all_state(name, runs)), "")


def _all_state(name: str, runs: Sequence[Run]) -> bool:
    return all(name in run.factors for run in runs)


def _values(name: str, runs: Sequence[Run]) -> list[FactorValue]:
    """Return the values of a factor in their order."""
    keys = {factor_key(run.factors[name]) for run in runs if name in run.factors}
    return [value for _, value in sorted(keys, key=value_order)]


def _named(name: str, runs: Sequence[Run]) -> str:
    """Return the values of a factor in words, of many their number: "9 models"."""
    values = [shown_value(name, value_text(value)) for value in _values(name, runs)]
    text = joined(values)
    if len(values) == 1 or (len(values) <= _MAX_NAMED and len(text) <= _MAX_CHARS):
        return text
    return f"{len(values)} kinds of {name}" if name in _MACHINES else f"{len(values)} {plural([name])}"


def _on(machines: str, runs: Sequence[Run]) -> str:
    """Return the devices, with their number if they are of one kind: " on 1 to 8 V100"."""
    known = _values("devices", runs) if _all_state("devices", runs) else []
    counts = [value for value in known if isinstance(value, int)]
    number = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(*counts)
    if not machines:
        return f" on {number} devices" if number not in ("", "1") else ""
    is_one = len(_values(machines, runs)) == 1 and machines not in ("system", "cluster")
    return f" on {f'{number} ' if is_one and number not in ('', '1') else ''}{_named(machines, runs)}"


def _by(table: TableSpec, said: set[str], runs: Sequence[Run]) -> str:
    """Return what is compared, or over what: ": v1 and v2", " by batch size"; "" if the title says it.

    Of one case, at which size: " at batch size 128".
    """
    for name in table.compare.baseline if table.compare else ():
        values = _values(name, runs)
        if _follows(name, said, runs) or name in DEVICE_COUNTS or not 1 < len(values) <= _MAX_NAMED:
            continue
        text = joined([shown_value(name, value_text(value)) for value in values])
        return f": {text}" if isinstance(values[0], str) else f": {name.replace('_', ' ')} {text}"
    sizes = [name for name in (DATE, *SIZES) if name in table.rows and name not in DEVICE_COUNTS]
    if len({factors_key(run.factors) for run in runs}) == 1:
        fixed = [f"{name.replace('_', ' ')} {value_text(runs[0].factors[name])}" for name in sizes]
        return f" at {joined(fixed)}" if fixed else ""
    size = next((name for name in sizes if _is_swept(name, table, runs)), "")
    return f" by {size.replace('_', ' ')}" if size else ""


def _follows(name: str, said: set[str], runs: Sequence[Run]) -> bool:
    """Return whether the title says a factor already, or others that decide its value."""
    known = sorted(said - {""})
    return count_combinations(known, runs) == count_combinations([*known, name], runs)


def _is_swept(name: str, table: TableSpec, runs: Sequence[Run]) -> bool:
    """Return whether most cases have several sizes: it does not follow from the model."""
    runs = [run for run in runs if matches(run.factors, table.where)]
    every = (*table.rows, *table.columns)
    others = [other for other in every if other != name]
    return count_combinations(every, runs) >= 2 * count_combinations(others, runs)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
