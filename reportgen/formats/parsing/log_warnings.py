"""Find what programs say in their logs about their own numbers: too many workers, no TF32, `loss: nan`.

Such a line changes no number; it may explain one. Each becomes a finding of the run with the quoted text
and its line; equal texts, which every rank prints, are one finding with their count.

Each entry names what the program is, and where its source has the text.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Finding, Run, Source
from reportgen.core.rules import Rule, Severity

# Different texts of one entry that are kept; NCCL writes a pointer or an address into each.
_MAX_TEXTS = 5
_NANS = (b"nan", b"NaN")
# "nanoseconds" and "nan_to_num" are words; of "nan iterations", something is counted.
_NAN = lazy_pattern(rb"[Nn]a[Nn](?![\w.])")
_COUNTED = lazy_pattern(rb"[Nn]a[Nn][ \t]+(?!ms|sec|s |samples|img|tok|it/)[A-Za-z]")
# "loss: nan", "'loss': 'nan'", "loss=nan", and the times and rates that programs print after a blank.
_NAME_BEFORE = lazy_pattern(
    rb"([A-Za-z][\w ./%@()-]{0,50}(?::[0-9]{1,3})?)[\"']?[ \t]*[:=][ \t\"']*(?:np\.float[0-9]{2}\()?-?\Z"
    rb"|(?<![\w.])([A-Za-z][\w/]{1,20})[ \t]+-?\Z"
)
# "Time 0.1 (nan)": the mean of a value, beside the value.
_MEAN_BEFORE = lazy_pattern(
    rb"(?<![\w.])([A-Za-z][\w/]{1,20})[ \t]*[:=]?[ \t]+-?[0-9][0-9.eE+-]{0,20}[ \t]*\([ \t]*-?\Z"
)
# What a list of numbers has between them.
_NUMBERS = lazy_pattern(rb"[\s0-9.,eE+\-naNulfi\"']*+")
_MAX_LIST_BYTES = 2**16
# "Loss is", which no value has as its name: words without digits, which hold no secrets.
_WORDS_BEFORE = lazy_pattern(rb"(?<![\w.])(?:[A-Za-z_]{1,20}[ \t]+){1,3}-?\Z")
_IDENTIFIER = lazy_pattern(r"(?i)(?<![a-z])id$")
_MEASURED = lazy_pattern(
    r"(?i)time|per_?sec|/s|throughput|speed|latenc|duration|elapsed?|\b[wtf]ps|bandwidth|flops|\bms\b"
)
_LOSS = lazy_pattern(r"(?i)loss")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A known text: the pattern quotes it, and the literal is in every match and rarely elsewhere."""

    rule: Rule
    literal: bytes
    pattern: re.Pattern[bytes]


def _entry(rule: Rule, literal: bytes, before: bytes = b"", after: bytes = b"") -> _Entry:
    return _Entry(rule, literal, lazy_pattern(before + re.escape(literal) + after))


_ENTRIES = (
    # PyTorch: torch/utils/data/dataloader.py
    _entry(
        Rule.LOG_DATA_LOADING,
        b" worker processes in total. Our suggested max number of worker in current system is ",
        rb"This DataLoader will create [0-9]{1,6}",
        rb"[0-9]{1,6}",
    ),
    # Lightning: trainer/connectors/data_connector.py, before 2.0 trainer/data_loading.py
    _entry(
        Rule.LOG_DATA_LOADING,
        b" does not have many workers which may be a bottleneck",
        rb"The (?:dataloader, [\w ]{1,60},|'\w{1,60}')",
    ),
    # NCCL: src/transport/net_ib.cc, src/transport/net_socket.cc, src/debug.cc
    _entry(Rule.LOG_COMMUNICATION, b"NCCL INFO NET/IB : No device found"),
    _entry(Rule.LOG_COMMUNICATION, b"NCCL INFO Using network Socket"),
    _entry(Rule.LOG_COMMUNICATION, b"NCCL WARN ", after=rb"[^\r\n]{1,160}"),
    # PyTorch: torch/csrc/distributed/c10d/reducer.cpp
    _entry(
        Rule.LOG_COMMUNICATION,
        b"find_unused_parameters=True was specified in DDP constructor, "
        b"but did not find any unused parameters",
    ),
    _entry(Rule.LOG_COMMUNICATION, b"Grad strides do not match bucket view strides"),
    # PyTorch: torch/_inductor/compile_fx.py, torch/_dynamo, torch/nn/attention
    _entry(
        Rule.LOG_COMPUTE,
        b"TensorFloat32 tensor cores for float32 matrix multiplication available but not enabled",
    ),
    _entry(
        Rule.LOG_COMPUTE,
        b"torch._dynamo hit config.",
        after=rb"(?:recompile|cache_size|accumulated_\w{1,40})_?limit \([0-9]{1,6}\)",
    ),
    _entry(Rule.LOG_COMPUTE, b"Torch was not compiled with flash attention"),
    # Lightning: accelerators/cuda.py
    _entry(
        Rule.LOG_COMPUTE,
        b" that has Tensor Cores. To properly utilize them, you should set ",
        rb"You are using a CUDA device \('[^'\r\n]{1,80}'\)",
        rb"`torch\.set_float32_matmul_precision",
    ),
    # DeepSpeed: runtime/zero/stage3.py
    _entry(Rule.LOG_MEMORY, b" pytorch allocator cache flushes since last step", rb"[0-9]{1,9}"),
    # TensorFlow: common_runtime/bfc_allocator.cc
    _entry(
        Rule.LOG_MEMORY,
        b"an out of memory trying to allocate ",
        rb"(?:Allocator \([^)\r\n]{1,60}\) )?[rR]",
        rb"[0-9.]{1,12}[KMG]?i?B[^\r\n]{0,40}\. The caller indicates that this is not a failure",
    ),
)
# Every text has one of these; `formats.registry` searches for them along with the marks of formats.
WARNINGS = frozenset(entry.literal for entry in _ENTRIES)


@dataclass(slots=True)
class LogWarning:
    """A text and how often the log has it; `offset` is the place of the first.

    more  how many NaN the log has besides those that are named
    """

    rule: Rule
    text: str
    offset: int
    count: int = 1
    severity: Severity = "note"
    more: int = 0

    def finding(self, run: str, source: Source) -> Finding:
        """Return the finding about a run."""
        times = f" ({self.count:,} times)" if self.count > 1 else ""
        more = f"; it has {self.more:,} more NaN" if self.more else ""
        return Finding(self.severity, self.rule, run, f'the log says "{self.text}"{times}{more}', source)


def find_warnings(content: bytes) -> list[LogWarning]:
    """Return the known texts in a log, in the order of their first lines."""
    warnings = [warning for entry in _ENTRIES for warning in _texts(content, entry)]
    return sorted(warnings, key=lambda warning: warning.offset)


def find_nans(content: bytes) -> list[LogWarning]:
    """Return the texts about values that are NaN, by their first lines; a measured name is a warning.

    Of more than a few texts the measured ones are kept, and the last says how many NaN are left out.
    """
    return _grouped(_nans(content))


def named_nans(names: Iterable[tuple[str, int]]) -> list[LogWarning]:
    """Return the texts about NaN of values whose names and places are known, as `find_nans` does."""
    return _grouped((f"{name}: NaN", _severity(name), at) for name, at in names)


def _nans(content: bytes) -> Iterator[tuple[str, Severity, int]]:
    """Yield (text, severity, offset) of each NaN that has a name."""
    for word in _NANS:
        at = content.find(word) if content.rfind(word) >= 0 else -1
        of_list = _NumberList()
        while at >= 0:
            if not _NAN.match(content, at):
                pass
            elif of_list.begin < at < of_list.end:
                yield of_list.text, of_list.severity, at
            else:
                text, severity = _said(content, at)
                if not text:
                    of_list = _NumberList.around(content, at)
                yield text or of_list.text, severity if text else of_list.severity, at
            at = content.find(word, at + 3)


def _grouped(nans: Iterable[tuple[str, Severity, int]]) -> list[LogWarning]:
    named: dict[str, LogWarning] = {}
    left_out = 0
    for text, severity, at in nans:
        if text in named:
            named[text].count += 1
        elif text and sum(each.severity == severity for each in named.values()) < _MAX_TEXTS:
            named[text] = LogWarning(Rule.READ_STATED_PROBLEM, text, at, severity=severity)
        elif text:
            left_out += 1
    ranked = sorted(named.values(), key=lambda each: (each.severity != "warning", each.offset))
    shown = sorted(ranked[:_MAX_TEXTS], key=lambda each: each.offset)
    if shown:
        shown[-1].more = left_out + sum(each.count for each in ranked[_MAX_TEXTS:])
    return shown


@dataclass(slots=True)
class _NumberList:
    """A list of numbers with a NaN: its bounds, and the text about it, "" without a name."""

    begin: int = 0
    end: int = 0
    text: str = ""
    severity: Severity = "note"

    @classmethod
    def around(cls, content: bytes, at: int) -> "_NumberList":
        """Return the list around an offset, an empty one without a list."""
        begin = content.rfind(b"[", max(at - _MAX_LIST_BYTES, 0), at)
        if begin < 0 or not _NUMBERS.fullmatch(content, begin + 1, at):
            return cls()
        before = content[max(begin - 80, 0) : begin]
        match = _NAME_BEFORE.search(before, before.rfind(b"\n") + 1)
        name = match[1].decode("utf-8", "replace").strip() if match and match[1] else ""
        end = content.find(b"]", at)
        text = f"{name}: {content[at : at + 3].decode()}" if name else ""
        return cls(begin, end if end >= 0 else len(content), text, _severity(name))


def _severity(name: str) -> Severity:
    return "warning" if _MEASURED.search(name) else "note"


def _said(content: bytes, at: int) -> tuple[str, Severity]:
    """Return the text about the NaN at an offset and its severity; "" for an identifier, and without a name.

    A name is directly before its value; after a blank only that of a time, a rate or a loss. Other words are
    quoted.
    """
    before = content[max(at - 80, 0) : at]
    start, word = before.rfind(b"\n") + 1, content[at : at + 3].decode()
    if mean := _MEAN_BEFORE.search(before, start):
        name = mean[1].decode("utf-8", "replace")
        return f"{name} ({word})", _severity(name)
    match = _NAME_BEFORE.search(before, start)
    if match is None or (match[2] and _COUNTED.match(content, at)):
        return "", "note"
    name = (match[1] or match[2]).decode("utf-8", "replace").strip()
    if _MEASURED.search(name):
        return f"{name}: {word}", "warning"
    if match[2] and not _LOSS.search(name):
        words = _WORDS_BEFORE.search(before, start)
        return f"{words[0].decode() if words else ''}{word}", "note"
    return ("" if _IDENTIFIER.search(name) else f"{name}: {word}"), "note"


def _texts(content: bytes, entry: _Entry) -> Iterable[LogWarning]:
    # rfind reports an absent literal faster than find.
    if content.rfind(entry.literal) < 0:
        return ()
    first = content.find(entry.literal)
    texts: dict[bytes, LogWarning] = {}
    for match in entry.pattern.finditer(content, content.rfind(b"\n", 0, first) + 1):
        if match[0] in texts:
            texts[match[0]].count += 1
        elif len(texts) < _MAX_TEXTS:
            text = match[0].decode("utf-8", "replace").strip()
            texts[match[0]] = LogWarning(entry.rule, text, match.start())
    return texts.values()


def with_warnings(
    runs: Iterable[Run | Finding], warnings: Iterable[tuple[LogWarning, Source]]
) -> Iterator[Run | Finding]:
    """Yield the items of a reader; each run gets the warnings from its first line to the next run's.

    warnings  with the place of each
    """
    placed = list(warnings)
    if not placed:
        yield from runs
        return
    entries = list(runs)
    starts = sorted({entry.source.line for entry in entries if isinstance(entry, Run)})
    for entry in entries:
        if isinstance(entry, Run):
            own = [
                warning.finding(entry.id, source)
                for warning, source in placed
                if entry.source.line == _start_before(starts, source.line)
            ]
            yield replace(entry, findings=(*entry.findings, *own)) if own else entry
        else:
            yield entry


def _start_before(starts: list[int], line: int) -> int:
    """Return the start of the run that a line belongs to; lines before the first belong to it."""
    return max((start for start in starts if start <= line), default=starts[0])
