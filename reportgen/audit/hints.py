"""Words in headings that name the measure below them: metrics, phases, statistics and scopes."""

import re
from collections.abc import Sequence
from functools import lru_cache

from reportgen.audit.evidence import Measure
from reportgen.audit.numbers import unit_of_heading
from reportgen.core.lazy_pattern import lazy_pattern

# Words of a heading -> metric and phase that they mean, "" for any.
_QUANTITIES: tuple[tuple[str, str, str], ...] = (
    (r"data[ _-]?load|dataload|loading|\bloader\b", "step_time", "data_loading"),
    (r"pre-?process|data[ _-]?process|processing", "step_time", "preprocessing"),
    (r"between|cpu[ _-]?time|host", "step_time", "between_steps"),
    (r"forward|\bfwd\b|\bfw\b|inference time", "", "forward"),
    (r"backward|\bbwd\b|\bbw\b|backprop", "", "backward"),
    (r"optim", "", "optimizer"),
    (
        r"(?:step|iter(?:ation)?|batch)[ _-]?time|time per (?:step|iter)|(?:s|ms)/(?:it|step|iter)",
        "step_time",
        "",
    ),
    (r"throughput|/s(?:ec(?:ond)?)?\b|per second|fps|\bspeed\b", "throughput", ""),
    (r"latency", "latency", ""),
    (r"mem|vram", "memory_used", ""),
    (r"tensor(?!flow|rt)|\btc\b|tc_util", "tensor_core_utilization", ""),
    (r"vram[ _]?io|mem(?:ory)?[ _]?(?:io|util|bandwidth)", "memory_utilization", ""),
    (r"util|\bsm\b", "utilization", ""),
    (r"\bloss\b|train_loss", "loss", ""),
    (r"power|watt", "power", ""),
    (r"energy", "energy", ""),
    (r"temp", "temperature", ""),
    (r"(?:total|script|run|wall)[ _-]?(?:script )?time|runtime|duration", "run_time", ""),
    (r"time to train|ttt", "time_to_train", ""),
)
# The forward and the backward pass together, which `compute` is short for.
_SUM = lazy_pattern(
    r"\b(?:forward|fwd|fw)\b[a-z ]*(?:\+|&|and|plus)[a-z ]*\b(?:backward|bwd|bw)\b|\bcompute\b"
)
_STATISTICS = (
    (r"\bmedian|\bmed\b", "median"),
    (r"\bmean\b|\bavg|\baverage", "mean"),
    (r"\bmin(?:imum)?\b|\bfastest\b", "minimum"),
    (r"\bmax(?:imum)?\b|\bbest\b|\bpeak\b", "maximum"),
    (r"\brepeat|\brun \d|\brep\b", "repeat"),
)
_MEASURE_WORDS = tuple(
    lazy_pattern(rf"(?:{pattern})\w*", re.IGNORECASE)
    for pattern in (
        *(pattern for pattern, metric, _ in _QUANTITIES if metric != "throughput"),
        *(pattern for pattern, name in _STATISTICS if name != "repeat"),
        r"\bpass(?:es)?\b|\busage\b|\bused\b",
    )
)
# The other side of a comparison.
AGAINST = lazy_pattern(
    r"\b(?:relative to|vs|versus|over|against|compared (?:to|with)|than)\b\.?", re.IGNORECASE
)
_PER_DEVICE = lazy_pattern(r"(?:per|/|each)[ _-]?(?:gpu|device|card|accelerator)", re.IGNORECASE)
_INVERSE = lazy_pattern(r"\b(?:it|iter|iters|steps?|batches)/s", re.IGNORECASE)
_RATIO = lazy_pattern(
    r"speed-?[ _]?up|speed[ _]?ratio|ratio|\bvs\b\.?|versus|relative|slow(?:er|down)|faster|scal(?:ing|ed)"
    r"|efficien|\bexpected\b|\bgain\b|improvement|\bover\b|[,;:] [x×] |normali[sz]ed|(?<![\w.])[x×]\)?$",
    re.IGNORECASE,
)
_EFFICIENCY = lazy_pattern(r"efficien", re.IGNORECASE)
_PHASES = frozenset(phase for _, _, phase in _QUANTITIES if phase)
_MATCH, _CONFLICT = 3.0, -5.0
# How much less usual a statistic is that no heading names.
_RARITY = {"mean": 0.5, "repeat": 1.0, "minimum": 4.0, "maximum": 4.0}


def is_ratio(texts: Sequence[str]) -> bool:
    """Return whether headings announce a ratio."""
    return any(_RATIO.search(text) for text in texts)


def signature(texts: Sequence[str]) -> frozenset[str]:
    """Return what headings say about the measure, as words; equal for columns that show the same."""
    text = " ".join(texts).lower().replace("_", " ")
    words = {pattern for pattern, *_ in (*_QUANTITIES, *_STATISTICS) if re.search(pattern, text)}
    words |= {"sum"} if _SUM.search(text) else set()
    words |= {unit for each in texts if (unit := unit_of_heading(each))}
    for name, pattern in (("device", _PER_DEVICE), ("inverse", _INVERSE), ("ratio", _RATIO)):
        words |= {name} if pattern.search(text) else set()
    return frozenset(words)


@lru_cache(10_000)
def says_of(texts: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the metrics, phases and statistics that texts name, each of the first text that names any."""
    named_by: list[frozenset[str]] = []
    own = [text.lower().replace("_", " ") for text in texts]
    for position, named in ((1, _QUANTITIES), (2, _QUANTITIES), (1, _STATISTICS)):
        said = (
            {each[position] for each in named if each[position] and re.search(each[0], text)} for text in own
        )
        named_by.append(frozenset(next(filter(None, said), ())))
    for text in own:
        if any(re.search(pattern, text) for pattern, _, phase in _QUANTITIES if phase) or _SUM.search(text):
            named_by[1] = frozenset(("compute",)) if _SUM.search(text) else named_by[1]
            break
    return named_by[0], named_by[1], named_by[2]


def contradiction(texts: Sequence[str], measure: Measure) -> str:
    """Return the word of headings that a measure contradicts (another phase, a median), "" without one."""
    _, phases, statistics = says_of(tuple(texts))
    is_single = measure.statistic == "repeat" and "repeat" not in statistics
    is_other = statistics == {"median"} and measure.statistic in _RARITY
    if statistics and (is_single or is_other):
        return min(statistics)
    known = measure.phase in _PHASES or measure.phase == "compute"
    return min(phases) if phases and known and measure.phase not in phases else ""


def without_measure(text: str) -> str:
    """Return a heading without the words that say what is measured, and without the baseline of a ratio."""
    own = AGAINST.split(text.replace("_", " "), maxsplit=1)[0] if AGAINST.search(text) else text
    for pattern in _MEASURE_WORDS:
        own = pattern.sub(" ", own)
    return text if own == text else own.strip(" -,/:|()[]")


def median_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the word "median" if the nearest of the texts that name a statistic names that one alone."""
    own = says_of(tuple(texts))[2]
    return ("median",) if own == {"median"} else ()


@lru_cache(10_000)
def preference(texts: tuple[str, ...], measure: Measure) -> float:
    """Return how well headings fit a measure, in bits: 0 where they say nothing about it."""
    text = " ".join(texts).lower().replace("_", " ")
    total = 0.0
    named = [(metric, phase) for pattern, metric, phase in _QUANTITIES if re.search(pattern, text)]
    metrics = {metric for metric, _ in named if metric}
    phases = {phase for _, phase in named if phase}
    if _SUM.search(text):
        phases = {"compute"}
    if phases:
        is_other = measure.phase in _PHASES
        total += _MATCH if measure.phase in phases else 3 * _CONFLICT if is_other else _CONFLICT
    if metrics:
        total += _MATCH if measure.metric in metrics else _CONFLICT / 2
    statistics = {name for pattern, name in _STATISTICS if re.search(pattern, text)}
    if statistics:
        # One run is not a statistic of several, which a wrong number might make it look like.
        is_single = (measure.statistic == "repeat") != (statistics == {"repeat"})
        # A mean may be of the steps of a run, a median is of its repeats.
        is_sure = is_single or statistics == {"median"}
        total += _MATCH if measure.statistic in statistics else 6 * _CONFLICT if is_sure else _CONFLICT / 2
    else:
        total -= _RARITY.get(measure.statistic, 0.0)
    if _PER_DEVICE.search(text):
        total += (
            _MATCH
            if measure.scope == "device" or measure.metric == "throughput_per_device"
            else _CONFLICT / 2
        )
    elif measure.scope in ("device", "all devices"):
        total -= 1.0
    if _INVERSE.search(text):
        total += _MATCH if measure.scope == "inverse" else _CONFLICT / 2
    return total + _of_ratio(text, measure)


def _of_ratio(text: str, measure: Measure) -> float:
    """Return how well a heading fits a measure that is a ratio, or one that is none."""
    if not measure.baseline:
        return 0.0
    if not _RATIO.search(text):
        return _CONFLICT
    if _EFFICIENCY.search(text):
        return _MATCH if measure.scope == "efficiency" else _CONFLICT
    if "expected" in text or measure.scope in ("expected", "excess"):
        scope = "excess" if re.search(r"slow|\bvs|versus|relative|excess|ratio|times", text) else "expected"
        return _MATCH if measure.scope == scope and "expected" in text else _CONFLICT
    if re.search(r"slow", text):
        return _MATCH if measure.scope == "slowdown" else _CONFLICT
    if re.search(r"speed-? ?up|faster", text):
        return _MATCH if measure.scope == "speedup" else _CONFLICT
    return _CONFLICT if measure.scope == "efficiency" else 0.0
