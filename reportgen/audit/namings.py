"""The values of factors that a text names, and the cases that contradict them.

"AMP, 8x V100, batch 64" names a precision, a number of devices, a device and a batch size. A case contradicts
the text if it has another value of a factor that the text names. It need not have the factor: what a case
does not say, no text can contradict. Several values of one factor are alternatives: "V100 and A100".

Each study is read in its own words: "MXNet" is the value "NGC MXNet" where a study has no other MXNet, and
"Inference" is not "Smooth Inference" where it has both. Words that no study knows say nothing.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.audit.evidence import Evidence
from reportgen.audit.hints import AGAINST
from reportgen.audit.keys import (
    NO_KEYS,
    NODES_BY_DEVICES,
    PER_NODE_PATTERN,
    PRECISIONS,
    SAME_WORD,
    WITHOUT,
    Level,
    Mask,
    factors_of_heading,
    is_folder,
    squash,
)
from reportgen.core.devices import find_device, find_devices
from reportgen.core.lazy_pattern import lazy_pattern

_TOKEN = lazy_pattern(r"[A-Za-z]+|[0-9]+")
_MAX_TOKENS, _MAX_JOINED = 120, 12
# A value is also named by some of its words, if they are most of it: "ResNet50" of resnet50_v1.5.
_MIN_PART = 4
# A value of many words is named by them in any order, with others between them.
_MIN_LONG = 5
_SEPARATOR = r"(?:,\s*(?:and\b)?|/|;|&|\band\b|\bor\b|\bto\b|\bvs\.?|-|–|~)"
_NUMBERS = lazy_pattern(rf"(?:(?<![\w.,])|(?<=\s[x×]))\d{{1,7}}(?:\s*{_SEPARATOR}\s*\d{{1,7}})*(?![.,]?\d)")
_RANGE = lazy_pattern(r"^(\d+)\s*(?:to|-|–|~)\s*(\d+)$")
_BOUND = lazy_pattern(r"(?:up to|at most|at least|more than|less than|fewer than|[<>≤≥])\s*$", re.I)
_BEFORE = lazy_pattern(r"([A-Za-z#][A-Za-z#_. -]{0,40}?)[\s_-]*(?:of|is|=|:)?[\s_-]*$")
_AFTER = lazy_pattern(r"\s?-?\s?([A-Za-z#]+(?:[ _-][A-Za-z]+){0,3})")
_TIMES_BEFORE, _TIMES_AFTER = lazy_pattern(r"\s?[x×]\s?(?=[A-Za-z])"), lazy_pattern(r"[)\w]\s?[x×]\s?$")
# A name, not a count: "GPU 0", "node 1".
_ORDINAL = lazy_pattern(r"\b(?:gpu|device|card|node|host|machine|rank|run|step|table|figure)[\s_-]*$", re.I)
_PLAIN_PRECISIONS = frozenset(("single", "half", "mixed"))
# The words of a title; a longer text is prose.
_MAX_TITLE = 14
# Kinds of devices, beside which every name of a device is more precise.
_KINDS = frozenset(("gpu", "cpu", "tpu"))


@dataclass(frozen=True, eq=False)
class Naming:
    """Words of a text that name values of factors.

    words         as written
    factors       whose values they are
    contradicted  the cases that have other values; stated  the cases that have a named one
    """

    words: str
    factors: tuple[str, ...]
    contradicted: Mask
    stated: Mask


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Hit:
    """A span of a text that names values of a factor.

    joined   the squashed text, "" of a number
    is_part  whether the values have more words than the text
    """

    start: int
    end: int
    factor: str
    codes: frozenset[int]
    joined: str = ""
    is_part: bool = False


class NamingIndex:
    """Finds the values of factors in texts."""

    def __init__(self, evidence: Evidence, levels: Sequence[Level]) -> None:
        self.evidence = evidence
        self._known: dict[tuple[str, bool], tuple[Naming, ...]] = {}
        self._exact: dict[str, list[Level]] = defaultdict(list)
        self._parts: dict[str, list[Level]] = defaultdict(list)
        self._long: dict[str, list[Level]] = defaultdict(list)
        self._by_factor: dict[str, list[Level]] = defaultdict(list)
        self._devices: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        self._precisions: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        self._numbers: dict[str, dict[float, int]] = {}
        self._flags: dict[str, dict[bool, int]] = {}
        for factor, values in evidence.levels.items():
            numbers = {float(value): code for code, value in enumerate(values) if _is_number(value)}
            flags = {value: code for code, value in enumerate(values) if isinstance(value, bool)}
            self._numbers |= {factor: numbers} if numbers else {}
            self._flags |= {factor: flags} if flags else {}
        for level in levels:
            self._add(level)
        self._names = {squash(factor): factor for factor in self._numbers}
        self._studies = evidence.studies()

    def _add(self, level: Level) -> None:
        if is_folder(level.factor):
            return
        own = "".join(level.words)
        self._exact[own].append(level)
        self._by_factor[level.factor].append(level)
        if len(level.words) >= _MIN_LONG:
            self._long[max(level.words, key=len)].append(level)
        for part in _runs(level.words[:_MAX_JOINED]):
            if len(part) >= _MIN_PART and 2 * len(part) >= len(own) and not part.isdigit() and part != own:
                self._parts[part].append(level)
        if device := find_device(level.text):
            self._devices[level.factor][device.name].add(level.code)
        if (precision := PRECISIONS.get(own)) and not own.isdigit():
            self._precisions[level.factor][precision].add(level.code)

    def nearest(self, texts: Iterable[str], own: Sequence[Naming] = ()) -> tuple[Naming, ...]:
        """Return what texts name, the nearest first: of a factor, only the first naming counts.

        own  namings that are nearer than the texts
        """
        merged = list(own)
        for text in texts:
            named = {factor for each in merged for factor in each.factors}
            is_prose = len(text.split()) > _MAX_TITLE
            namings = self.namings(text, is_prose=is_prose)
            merged += [each for each in namings if not named & set(each.factors)]
        return tuple(merged)

    def namings(self, text: str, *, is_prose: bool = False) -> tuple[Naming, ...]:
        """Return what a text names.

        is_prose  whether the text is more than a title: there "train" is a verb, not the benchmark "Train"
        """
        key = text, is_prose
        if key not in self._known:
            self._known[key] = tuple(self._find(unicodedata.normalize("NFKC", text), is_prose))
        return self._known[key]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where a text names values: the numbers there are no results."""
        hits = [*self._named_levels(text, False), *self._counts(text)]
        return [(hit.start, hit.end) for hit in hits]

    def naming(self, words: str, values: Mapping[str, frozenset[int]]) -> Naming:
        """Return the naming of values, factor -> codes; any may be meant."""
        says, agrees = self._nothing(), self._nothing()
        for factor, codes in values.items():
            own = self.evidence.codes[factor]
            says |= own >= 0
            agrees |= np.isin(own, list(codes))
        return Naming(words, tuple(values), says & ~agrees, agrees)

    def _nothing(self) -> Mask:
        return np.zeros(len(self.evidence.cases), dtype=bool)

    def _find(self, text: str, is_prose: bool) -> Iterator[Naming]:
        hits = [*self._named_levels(text, is_prose), *self._counts(text)]
        hits = [hit for hit in hits if not WITHOUT.search(text[: hit.start].lower())]
        hits += self._named_flags(text)
        hits = _without_inner(hits, text)
        # The baseline of a comparison: neither side restricts what the numbers are about.
        against = AGAINST.search(text)
        other = {hit.factor for hit in hits if against and hit.start >= against.end()}
        for group in _by_factors([hit for hit in hits if hit.factor not in other]):
            words = ", ".join(dict.fromkeys(text[start:end].strip(" (_-") for start, end in _outer(group)))
            says, agrees = self._nothing(), self._nothing()
            for factor in dict.fromkeys(hit.factor for hit in group):
                own = self.evidence.codes[factor]
                named = [hit for hit in group if hit.factor == factor]
                says |= self._says(factor, named)
                agrees |= self._agrees(own, factor, named, text)
            yield Naming(words, tuple(dict.fromkeys(hit.factor for hit in group)), says & ~agrees, agrees)

    def _says(self, factor: str, named: Sequence[_Hit]) -> Mask:
        own = self.evidence.codes[factor]
        if {hit.joined for hit in named} <= _KINDS:
            kinds = [level.code for level in self._by_factor[factor] if "".join(level.words) in _KINDS]
            return np.isin(own, kinds)
        return own >= 0

    def _agrees(self, own: np.ndarray, factor: str, named: Sequence[_Hit], text: str) -> Mask:
        """Return the cases that have a value which a text names, each study in its own words."""
        if not any(hit.joined for hit in named):
            return np.isin(own, list(frozenset[int]().union(*(hit.codes for hit in named))))
        agrees = self._nothing()
        for study in self._studies:
            known = {int(code) for code in np.unique(own[study]) if code >= 0}
            if known:
                agrees |= study & np.isin(own, list(self._meant(factor, named, known, text)))
        return agrees

    def _meant(self, factor: str, named: Sequence[_Hit], known: set[int], text: str) -> set[int]:
        """Return which of the values of a study a text means: the longest that it contains."""
        exact = {(hit.start, hit.end) for hit in named if not hit.is_part and hit.codes & known}
        kept = [hit for hit in named if not hit.is_part or (hit.start, hit.end) not in exact]
        spans = [(hit.start, hit.end, hit.codes & known) for hit in kept]
        spans = [each for each in spans if each[2]]
        longest = [
            each
            for each in spans
            if not any(a <= each[0] and each[1] <= b and (a, b) != each[:2] for a, b, _ in spans)
        ]
        meant = {code for _, _, codes in longest for code in codes}
        if longest:
            # "Backward pass (with forward)" has the words of forward+backward, which is more than "forward".
            # "a V100" has the parts of A100, and does not mean it: a single letter may be an article.
            words = {token.word for token in _tokens(text)}
            levels = {level.code: set(level.words) for level in self._by_factor[factor]}
            within = {code for code in known if _are_words(levels.get(code, set())) and levels[code] <= words}
            for code in within:
                meant = {each for each in meant if not levels[each] < levels[code]} | {code}
        if not meant:
            joined = {hit.joined for hit in named}
            for level in self._by_factor[factor]:
                if level.code in known and any(_contains(level, each) for each in joined):
                    meant.add(level.code)
        return meant

    def _named_levels(self, text: str, is_prose: bool) -> Iterator[_Hit]:
        """Yield the values that a text contains as words."""
        for name, start, end in find_devices(text):
            for factor, by_name in self._devices.items():
                yield _Hit(start, end, factor, frozenset(by_name.get(name, ())), squash(name))
        tokens = _tokens(text)
        yield from self._long_levels(tokens)
        for first in range(len(tokens)):
            joined = ""
            for last in range(first, min(first + _MAX_JOINED, len(tokens))):
                if last > first and _is_article(tokens[last - 1], tokens[last]):
                    break
                joined += tokens[last].word
                start, end, is_word = tokens[first].start, tokens[last].end, first == last
                if _says_nothing(joined, is_word) or (joined in _PLAIN_PRECISIONS and len(tokens) > 1):
                    continue
                if joined in _KINDS and text[end:].lstrip().startswith("@"):
                    continue  # a part of the name of a processor
                for is_part in (False, True):
                    levels = self._named(text, (start, end), joined, is_prose and is_word, is_part)
                    for factor, codes in levels.items():
                        yield _Hit(start, end, factor, frozenset(codes), joined, is_part)

    def _long_levels(self, tokens: Sequence[_Token]) -> Iterator[_Hit]:
        words = {token.word for token in tokens}
        for token in tokens:
            for level in self._long.get(token.word, ()):
                if words.issuperset(level.words):
                    code = frozenset({level.code})
                    yield _Hit(token.start, token.end, level.factor, code, "".join(level.words))

    def _named(
        self, text: str, span: tuple[int, int], joined: str, is_word: bool, is_part: bool
    ) -> dict[str, set[int]]:
        """Return factor -> codes that a span names; a word of prose must be written as a name is."""
        start, end = span
        named: dict[str, set[int]] = defaultdict(set)
        if is_part and re.match(r"\.\d", text[end:]):
            return named  # the text has more of a version
        for level in (self._parts if is_part else self._exact).get(joined, ()):
            if not is_word or _is_name(text[start:end], level.text):
                named[level.factor].add(level.code)
        if not is_part and (precision := PRECISIONS.get(joined)):
            for factor, codes in self._precisions.items():
                named[factor] |= codes.get(precision, set())
        return named

    def _counts(self, text: str) -> Iterator[_Hit]:
        """Yield the numbers beside the name of a factor: "8 GPUs", "batch size 64", "1 to 32 nodes"."""
        written = PER_NODE_PATTERN.search(text.lower())
        for match in (written,) if written else NODES_BY_DEVICES.finditer(text):
            nodes, devices = float(match[1]), float(match[1]) * float(match[2])
            if devices not in self._numbers.get("devices", ()) or nodes not in self._numbers.get("nodes", ()):
                continue
            yield from self._numbered(*match.span(), ("nodes",), [nodes])
            yield from self._numbered(*match.span(), ("devices",), [devices])
        for match in _NUMBERS.finditer(text):
            before = text[max(0, match.start() - 60) : match.start()]
            after = text[match.end() : match.end() + 60]
            if not _BOUND.search(before):
                factors, start, end = self._factors_beside(before, after)
                values = list(self._values(factors, match[0]))
                yield from self._numbered(match.start() - start, match.end() + end, factors, values)

    def _numbered(
        self, start: int, end: int, factors: Sequence[str], values: Sequence[float]
    ) -> Iterator[_Hit]:
        for factor in factors:
            if known := self._numbers.get(factor):
                codes = frozenset(known[value] for value in values if value in known)
                yield _Hit(start, end, factor, codes)

    def _factors_beside(self, before: str, after: str) -> tuple[tuple[str, ...], int, int]:
        """Return the factors that the words around a number name, and how many characters they are."""
        if following := _AFTER.match(after):
            words = following[1].replace("-", " ").split()
            for count in range(len(words), 0, -1):
                name = " ".join(words[:count])
                if factors := self._factors(name):
                    return factors, 0, following.start(1) + len(name)
        times = _TIMES_BEFORE.match(after)
        if times and self._is_device(after[times.end() :]):
            return self._factors("gpus"), 0, len(times[0].rstrip())
        if (behind := _TIMES_AFTER.search(before)) and find_devices(before[-40:]):
            return self._factors("gpus"), len(before) - behind.start() - 1, 0
        if (leading := _BEFORE.search(before)) and not _ORDINAL.search(before):
            words = leading[1].split()
            for count in range(min(4, len(words)), 0, -1):
                if factors := self._factors(" ".join(words[-count:])):
                    return factors, len(before) - leading.start() - leading[1].rfind(words[-count]), 0
        return (), 0, 0

    def _is_device(self, text: str) -> bool:
        return bool(find_devices(text[:40].split(",")[0])) or any(
            level.factor in self._devices
            for each in _tokens(text)[:1]
            for level in self._exact.get(each.word, ())
        )

    def _factors(self, name: str) -> tuple[str, ...]:
        own = self._names.get(squash(name))
        factors = factors_of_heading(name) or ((own,) if own else ())
        return tuple(factor for factor in factors if factor in self._numbers)

    def _values(self, factors: Sequence[str], written: str) -> Iterator[float]:
        if match := _RANGE.match(written):
            low, high = float(match[1]), float(match[2])
            known = {value for factor in factors for value in self._numbers[factor]}
            yield from (value for value in known if low <= value <= high)
        else:
            yield from (float(each) for each in re.findall(r"\d+", written))

    def _named_flags(self, text: str) -> Iterator[_Hit]:
        """Yield the names of factors that are true or false: "w/ XLA", "without clip"."""
        for factor, codes in self._flags.items():
            # "without gradient clipping" says that `clip` is false.
            pattern = rf"(?<![a-z]){re.escape(factor)}[a-z]{{0,4}}(?![a-z])"
            for match in re.finditer(pattern, text, re.IGNORECASE):
                before = text[: match.start()].lower()
                without = WITHOUT.search(before) or WITHOUT.search(re.sub(r"[a-z]+[\s_-]*$", "", before))
                code = codes.get(without is None)
                start = without.start() if without else match.start()
                yield _Hit(start, match.end(), factor, frozenset() if code is None else frozenset({code}))


def _by_factors(hits: Sequence[_Hit]) -> list[list[_Hit]]:
    """Return the hits in groups: hits of one factor, and of the factors that one span names."""
    groups: list[list[_Hit]] = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        span = hit.start, hit.end
        near = [
            group
            for group in groups
            if any(each.factor == hit.factor or (each.start, each.end) == span for each in group)
        ]
        groups = [group for group in groups if group not in near]
        groups.append([*(each for group in near for each in group), hit])
    return groups


def _without_inner(hits: Sequence[_Hit], text: str) -> list[_Hit]:
    """Return the hits without words of a long name: the "mxnet" of a path is not the framework."""
    long = [hit for hit in hits if len(_tokens(text[hit.start : hit.end])) >= _MIN_LONG]
    return [
        hit
        for hit in hits
        if not any(
            each.factor != hit.factor
            and each.start <= hit.start
            and hit.end <= each.end
            and each.end - each.start > hit.end - hit.start
            for each in long
        )
    ]


def _outer(hits: Sequence[_Hit]) -> list[tuple[int, int]]:
    """Return the spans of hits that are in no other one."""
    spans = list(dict.fromkeys((hit.start, hit.end) for hit in hits))
    return [
        each for each in spans if not any(a <= each[0] and each[1] <= b and (a, b) != each for a, b in spans)
    ]


def _tokens(text: str) -> list[_Token]:
    matches = list(_TOKEN.finditer(text))[:_MAX_TOKENS]
    return [_Token(SAME_WORD.get(each[0].lower(), each[0].lower()), *each.span()) for each in matches]


def _are_words(parts: Collection[str]) -> bool:
    """Return whether a value has several parts, and each is more than a letter."""
    return len(parts) > 1 and all(len(part) > 1 or part.isdigit() for part in parts)


def _contains(level: Level, joined: str) -> bool:
    """Return whether a value has a squashed text as neighbouring words."""
    return joined in "".join(level.words) and joined in _runs(level.words)


def _runs(words: Sequence[str]) -> Iterator[str]:
    """Yield the neighbouring words of a value, joined."""
    for first in range(len(words)):
        own = ""
        for word in words[first:]:
            own += word
            yield own


def _says_nothing(joined: str, is_word: bool) -> bool:
    """Return whether neighbouring words are too short, or too common, to name a value."""
    if joined.isdigit() or len(joined) < 2:
        return True
    return joined in NO_KEYS if is_word else len(joined) == 2 and joined.isalpha()


def _is_article(first: _Token, second: _Token) -> bool:
    """Return whether two words are like "a 100", which is not an A100."""
    return (
        len(first.word) == 1 and first.word.isalpha() and second.word.isdigit() and second.start > first.end
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_name(written: str, value: str) -> bool:
    """Return whether a word is written as a name is: as in the value, or in capitals."""
    is_capital = written[:1].isupper() and value[:1].isupper()
    return written == value or is_capital or any(not each.islower() for each in written[1:])
