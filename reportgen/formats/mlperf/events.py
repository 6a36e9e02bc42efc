"""Read the events of MLPerf's logging, `:::MLLOG {...}`, anywhere in a line.

An event is one JSON object that ends its line; a line may begin with the rank that srun adds. Before v0.7,
time and key preceded the object: `:::MLL 1556733699.71 run_start: {...}`. Some logs of v0.6 and v0.7 have
`time_s` for `time_ms`, or an object as Python prints it: `'file': None`. If two writers interfere, an event
cannot be parsed; MLPerf's own rule then fails the whole log, so such lines are counted and reported.

LoadGen of MLPerf inference and the meters of MLPerf's power measurements print the same prefix; their events
are not training.

Format: https://github.com/mlcommons/logging (mlperf_logging 4.1), and its training results of v0.6.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing.json_values import is_number, number
from reportgen.formats.parsing.text_log import TextLog

PREFIX = b":::MLLOG {"
OLD_PREFIX = b":::MLL "
_ANY = lazy_pattern(
    rb":::MLL(?:OG | (?P<seconds>[0-9]{1,12}(?:\.[0-9]{1,9})?) (?P<key>[\w.-]{1,99}) ?: )"
    rb"(?P<object>\{[^\r\n]*)"
)
# An event of LoadGen or of a meter, or the beginning of one, at which the head of a file ends.
_NO_TRAINING = (
    rb'(?:[^\r\n:"]++|:(?!::MLL)'
    rb'|"(?!namespace": ?"mlperf::|key": ?"(?:power_|conversion_eff|interconnect_)))*+"'
    rb"|(?:[^\r\n:}]++|:(?!::MLL))*+\Z"
)
# A complete event, so that an example in source code or a manual does not count.
_FIRST = lazy_pattern(
    rb":::MLLOG \{(?!" + _NO_TRAINING + rb")|:::MLL [0-9]{1,12}(?:\.[0-9]{1,9})? [\w.-]{1,99} ?: "
    rb"\{(?:[^\r\n:}]++|:(?!::MLL)|\}(?![ \t]*+[\r\n]))*+\}[ \t]*+[\r\n]"
)
# What the library writes, in its order; anything else goes to the JSON parser as a whole.
_USUAL = lazy_pattern(
    rb'\{"namespace": "[^"\\]*", "time_ms": (?P<time>[0-9]{1,15}), "event_type": "[A-Z_]+", '
    rb'"key": "(?P<key>[^"\\]*)", "value": (?P<value>.*?), "metadata": (?P<metadata>\{.*\})\}[ \t]*'
)
# The events that readers use; the many other lines (weights, losses, hyperparameters) are only checked.
_WANTED = frozenset((
    b"run_start", b"run_stop", b"block_start", b"block_stop", b"epoch_start", b"epoch_stop", b"tracked_stats",
    b"throughput", b"eval_accuracy", b"global_batch_size", b"local_batch_size", b"max_sequence_length",
    b"gradient_accumulation_steps",
    b"train_samples", b"seed", b"submission_benchmark", b"submission_org", b"submission_division",
    b"submission_platform", b"submission_entry",
))  # fmt: skip
# In a longer line of broken events the pattern backtracks; the JSON parser does not.
_MAX_PATTERN_BYTES = 16384
# Texts, and the words in which Python and JSON differ.
_PYTHON = lazy_pattern(
    rb'"(?:[^"\\]|\\.)*+"'
    rb"|'(?:[^'\\]|\\.)*+'"
    rb"|\b(?:True|False|None)\b"
)
_WORDS = {b"True": b"true", b"False": b"false", b"None": b"null"}
_FLAT = lazy_pattern(rb'\{(?:"[^"\\]*": (?:"[^"\\]*"|[-+.\w]+)(?:, |(?=\})))*\}')
_PLAIN = lazy_pattern(rb'"[^"\\]*"|[-+.\w]+')


@dataclass(frozen=True, slots=True)
class MlperfEvent:
    """One event: time in ms since 1970, and its offset in the log."""

    key: str
    time_ms: int
    value: Any
    metadata: Mapping[str, Any]
    at: int

    def number(self, name: str) -> float | None:
        """Return a number of the metadata, None if it is missing."""
        value = self.metadata.get(name)
        return float(value) if is_number(value) else None


@dataclass(frozen=True, slots=True)
class EventInterval:
    """The time between a start and a stop event."""

    start: MlperfEvent
    stop: MlperfEvent

    @property
    def seconds(self) -> float:
        """Its duration."""
        return (self.stop.time_ms - self.start.time_ms) / 1000


@dataclass(slots=True)
class Events:
    """The events of a log by key, in the order of their lines; `count` of all, `damaged` of them."""

    by_key: dict[str, list[MlperfEvent]] = field(default_factory=dict)
    count: int = 0
    damaged: int = 0

    def first(self, key: str) -> MlperfEvent | None:
        """Return the first event of a key."""
        return next(iter(self.by_key.get(key, [])), None)

    def last(self, key: str) -> MlperfEvent | None:
        """Return the last event of a key."""
        return next(reversed(self.by_key.get(key, [])), None)

    def value(self, key: str) -> Any:
        """Return the value of the last event of a key, None if there is none."""
        event = self.last(key)
        return event.value if event else None

    def integer(self, key: str) -> int | None:
        """Return the value of the last event of a key if it is a positive whole number."""
        value = self.value(key)
        is_whole = is_number(value) and 0 < value < 2**53 and value == value // 1
        return int(value) if is_whole else None

    def intervals(self, name: str) -> Iterator[EventInterval]:
        """Yield the intervals between each `<name>_start` and the next `<name>_stop`."""
        starts = self.by_key.get(f"{name}_start", [])
        stops = iter(self.by_key.get(f"{name}_stop", []))
        stop = next(stops, None)
        for position, start in enumerate(starts):
            following = starts[position + 1].at if position + 1 < len(starts) else None
            while stop and stop.at < start.at:
                stop = next(stops, None)
            if stop and (following is None or stop.at < following) and stop.time_ms >= start.time_ms:
                yield EventInterval(start, stop)


def first_event(text: bytes) -> int:
    """Return the offset of the first event of a text, -1 if there is none."""
    match = _FIRST.search(text) if PREFIX in text or OLD_PREFIX in text else None
    return match.start() if match else -1


def parse(log: TextLog) -> Events:
    """Return the events of a log that readers use; others are checked, damaged ones go to `log.malformed`."""
    events = Events()
    damaged = []
    for match in _ANY.finditer(log.content):
        events.count += 1
        usual = _USUAL.fullmatch(match["object"]) if len(match["object"]) < _MAX_PATTERN_BYTES else None
        if usual and usual["key"] not in _WANTED and _is_flat(usual):
            continue
        if event := _event(match, usual):
            events.by_key.setdefault(event.key, []).append(event)
        else:
            damaged.append(match.start())
    events.damaged = len(damaged)
    if damaged:
        log.malformed.add(log.place(damaged[0]).line, "an event of MLLOG that is not JSON", len(damaged))
    return events


def _is_flat(usual: re.Match[bytes]) -> bool:
    return bool(_PLAIN.fullmatch(usual["value"]) and _FLAT.fullmatch(usual["metadata"]))


def _event(match: re.Match[bytes], usual: re.Match[bytes] | None) -> MlperfEvent | None:
    if not match["object"].rstrip().endswith(b"}"):
        return None
    try:
        if usual and b":::MLLOG" not in usual["metadata"]:
            event = {"key": usual["key"].decode("utf-8", "replace"), "time_ms": int(usual["time"])}
            event |= {name: _load(usual[name]) for name in ("value", "metadata")}
        else:
            event = _load(match["object"])
            if match["key"]:
                event |= {"key": match["key"].decode(), "time_s": match["seconds"].decode()}
        key, time, metadata = event.get("key"), _time(event), event.get("metadata")
        if isinstance(metadata, str):
            metadata = _load(metadata.encode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(key, str) or time is None or not isinstance(metadata, dict | None):
        return None
    return (
        MlperfEvent(key, time, event.get("value"), metadata or {}, match.start())
        if 0 <= time < 2**53
        else None
    )


def _load(text: bytes) -> Any:
    """Return a value of JSON, or one as Python prints it; ValueError if it is neither."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(_PYTHON.sub(_as_json, text))


def _as_json(literal: re.Match[bytes]) -> bytes:
    word = _WORDS.get(literal[0])
    if word or literal[0].startswith(b'"'):
        return word or literal[0]
    return b'"' + literal[0][1:-1].replace(b"\\'", b"'").replace(b'"', b'\\"') + b'"'


def _time(event: Mapping[str, Any]) -> int | None:
    """Return the time of an event in ms, None if it has none."""
    if isinstance(event.get("time_ms"), int):
        return int(event["time_ms"])
    seconds = number(event.get("time_s"))
    return round(1000 * seconds) if abs(seconds) < 2**53 else None
