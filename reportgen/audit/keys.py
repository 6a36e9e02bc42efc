"""Match what people write in headings and key columns with the factors of cases: "8x V100", "FP16", "bs=32".

A text restricts the cases: it becomes a mask over them. Every case is judged by its own factors, because
logs of different origin call the same thing differently (a device, a system, a folder). Words that no case
knows are ignored beside words that some cases know.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reportgen.audit.evidence import ABSENT, FOLDER, GLOBAL_BATCH, PER_NODE, REPEAT, Evidence
from reportgen.core.devices import find_device
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue

Mask = NDArray[np.bool_]

_WORD = lazy_pattern(r"[a-z]+|[0-9]+")
_MAX_WORDS = 60
# The same word, however people shorten it.
SAME_WORD = {
    "tf": "tensorflow", "pt": "pytorch", "float": "fp", "inf": "inference", "training": "train",
    "fwd": "forward", "bwd": "backward", "paddle": "paddlepaddle",
}  # fmt: skip
# Precisions that logs and people name differently.
_SPELLED_PRECISIONS = {
    "single": "fp32 float32 32 32true single fullprecision",
    "half": "fp16 float16 amp mixed mixedprecision half 16mixed fp16amp ampfp16 automaticmixedprecision",
    "bf16": "bf16 bfloat16 bf16mixed",
    "tf32": "tf32",
}
PRECISIONS = {spelt: name for name, texts in _SPELLED_PRECISIONS.items() for spelt in texts.split()}
_YES, _NO = (
    ("yes", "true", "on", "y", "✓", "✔", "x", "1", "enabled"),
    ("no", "false", "off", "n", "✗", "✘", "0", "-", "", "disabled"),
)
WITHOUT = lazy_pattern(r"(?:\bw/o|\bwithout|\bno|\bnon)[\s_-]*$")

# Headings of numbers that are factors, and the factors that they may mean.
_SPELLED_HEADINGS: Mapping[tuple[str, ...], str] = {
    (
        "devices",
    ): "gpus gpu devices device cards accelerators numgpus numgpu ngpus ngpu numberofgpus gpunum gpucount"
    " numdevices numberofdevices devicestotal totaldevices totalgpus devicecount numcards worldsize"
    " ranks gpusused gpustotal ofgpus ofdevices",
    ("nodes",): "nodes node numnodes numnode nodenum numberofnodes nnodes hosts machines servers",
    ("batch_size", GLOBAL_BATCH): "batch batchsize bs bsz bz",
    (
        "batch_size",
    ): "batchsizeperdevice batchsizepergpu batchperdevice batchpergpu bspergpu bszpergpu localbatchsize"
    " microbatchsize perdevicebatchsize pergpubatchsize",
    (GLOBAL_BATCH, "batch_size"): "globalbatch globalbatchsize totalbatch totalbatchsize gbs batchsizetotal",
    (PER_NODE, "devices"): "gpuspernode devicespernode gpupernode cardspernode devicesnode gpusnode",
    ("seq_len",): "seqlen sequencelength seq sl seqlength sequencelen maxseqlen maxseqlength length",
    ("num_workers",): "workers numworkers loaderworkers dataloaderworkers numberofworkers",
    (REPEAT,): "repeat run trial rep repetition runid repeats",
}
_HEADINGS = {spelt: factors for factors, texts in _SPELLED_HEADINGS.items() for spelt in texts.split()}
PER_NODE_PATTERN = lazy_pattern(
    r"(?<![a-z0-9])(\d{1,4}) ?n(?:odes?)?[ x×*_-]*(\d{1,4}) ?(?:g|d|gpus?|devices?)\b"
)
# "4x8": nodes and devices per node.
NODES_BY_DEVICES = lazy_pattern(r"(?<![\w.])(\d{1,4}) ?[x×] ?(\d{1,4})(?![\w.])")
_COUNTED = (
    (lazy_pattern(r"(?<![\w.])(\d{1,6}) ?[x×]?[ -]?(?:gpus?|devices?|cards?|accelerators?)\b"), ("devices",)),
    (lazy_pattern(r"(?<![\w.])(\d{1,6})[ -]?(?:nodes?|hosts?|machines?)\b"), ("nodes",)),
    (lazy_pattern(r"(?<![a-z0-9])(?:bs|bsz|bz|batch(?:[ _-]?size)?|b)[ _]*[=:]?[ _]*(\d{1,7})\b"),
     ("batch_size", GLOBAL_BATCH)),
    (lazy_pattern(r"(?<![a-z])(?:seq(?:uence)?(?:[ _-]?len(?:gth)?)?|sl)[ _]*[=:]?[ _]*(\d{1,7})\b"),
     ("seq_len",)),
    (lazy_pattern(r"(?<![a-z])(?:repeat|run|rep|trial)[ _#]*[=:]?[ _]*(\d{1,3})\b"), (REPEAT,)),
)  # fmt: skip
# "8x V100" and "V100 x8" are counts only if such a case exists: "RTX 8000" is none.
_TIMES = (
    lazy_pattern(r"(?<![\w.])(\d{1,4}) ?[x×] ?(?=[a-z])"),
    lazy_pattern(r"(?<=[\d)\s])[x×] ?(\d{1,4})\b"),
)
_IN_PARENTHESES = lazy_pattern(r"\([^()]*\)|\[[^\[\]]*\]")
_NUMBER_NAME = lazy_pattern(
    r"(?<![\w.])(?P<number>\d{1,7}) ?(?P<name>#? ?[a-z]+(?:[ _][a-z]+){0,3})(?![\w.])"
)
_NAME_NUMBER = lazy_pattern(
    r"(?<![\w.])(?P<name>#? ?[a-z]+(?:[ _][a-z]+){0,3}) ?[=:#]? ?(?P<number>\d{1,7})(?![\w.])"
)
_NAMED = lazy_pattern(r"([a-z][a-z0-9_ .-]{0,30}?) ?[=:] ?([^\s,;=:()]{1,40})")
_MIN_CONTAINED = 3
_MAX_JOINED = 8
# How well a text fits a case whose factors cover all of it.
_WHOLE = 0.84
# Words of headings that say what is measured; a folder of such a name says nothing about a column.
_WORDS_WITHOUT_KEY = (
    "throughput time times seconds second sec s ms us min hours img image images sample samples seq "
    "seqs sequence sequences sentences token tokens frames fps per speed speedup up ratio step steps "
    "iteration iterations iter mean median average avg result results value values log logs table "
    "summary benchmark benchmarks memory mem vram gb mb mib gib util total the of in on for with and "
    "by a an to vs than "
)
NO_KEYS = frozenset(_WORDS_WITHOUT_KEY.split())


def squash(text: str) -> str:
    """Return the letters and digits of a text in lower case."""
    return "".join(_words(text))


def _words(text: str) -> tuple[str, ...]:
    text = unicodedata.normalize("NFKC", text[:300]).lower()
    return tuple(SAME_WORD.get(word, word) for word in _WORD.findall(text)[:_MAX_WORDS])


def factors_of_heading(text: str) -> tuple[str, ...]:
    """Return the factors that a heading of numbers may mean, () if it names none that is usual."""
    name = squash(text.replace("#", " num ").replace("No.", " num "))
    name = name.removeprefix("numof") if name.startswith("numof") else name
    bare = name.replace("numberof", "").replace("num", "").replace("count", "")
    return _HEADINGS.get(name) or _HEADINGS.get(bare) or ()


@dataclass(frozen=True, slots=True)
class Level:
    """A value of a factor as words."""

    factor: str
    code: int
    words: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """The meaning of a text: the cases that it fits, and the values that it names.

    named   factor -> codes of its values that the text names
    exact   whether the text is a value, and not only contains one or is contained in one
    """

    mask: Mask
    named: Mapping[str, frozenset[int]]
    exact: bool


@dataclass(slots=True)
class _Hits:
    """Per factor: the best matches of its values with a text, as (quality, code, covered words)."""

    by_factor: dict[str, list[tuple[float, int, int]]] = field(default_factory=dict)

    def add(self, factor: str, quality: float, code: int, covered: int) -> None:
        best = self.by_factor.setdefault(factor, [])
        if best and best[0][0] > quality:
            return
        if best and best[0][0] < quality:
            best.clear()
        best.append((quality, code, covered))


class KeyIndex:
    """The values of all factors by their words."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._known: dict[str, KeyMatch | None] = {}
        self._numbers: dict[str, dict[float, int]] = {}
        self._booleans: dict[str, dict[bool, int]] = {}
        self.levels: list[Level] = []
        for factor, values in evidence.levels.items():
            for code, value in enumerate(values):
                if isinstance(value, bool):
                    self._booleans.setdefault(factor, {})[value] = code
                elif isinstance(value, int | float):
                    self._numbers.setdefault(factor, {})[float(value)] = code
                elif words := _words(value):
                    self.levels.append(Level(factor, code, words, value))
        self._by_word: dict[str, list[Level]] = {}
        self._precisions = [level for level in self.levels if level.factor == "precision"]
        self._by_joined: dict[str, list[Level]] = {}
        for level in self.levels:
            self._by_joined.setdefault("".join(level.words), []).append(level)
            for word in set(level.words):
                self._by_word.setdefault(word, []).append(level)

    def numeric_factors(self) -> Iterable[str]:
        """Return the factors that have numbers as values."""
        return self._numbers

    def are_counts(self, factors: Sequence[str]) -> bool:
        """Return whether all values of factors are whole numbers."""
        return all(value.is_integer() for factor in factors for value in self._numbers[factor])

    def value(self, factor: str, code: int) -> FactorValue:
        """Return a value of a factor."""
        return self.evidence.levels[factor][code]

    def match_number(self, factors: Sequence[str], value: float) -> KeyMatch | None:
        """Return the cases in which one of the factors is a number; None if no case has such a factor.

        A case that does not say the factor fits.
        """
        known = [factor for factor in factors if factor in self._numbers]
        if not known:
            return None
        size = len(self.evidence.cases)
        mask, says = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
        named: dict[str, frozenset[int]] = {}
        for factor in known:
            codes = self.evidence.codes[factor]
            says |= codes != ABSENT
            code = self._numbers[factor].get(value)
            named[factor] = frozenset() if code is None else frozenset({code})
            if code is not None:
                mask |= codes == code
        return KeyMatch(mask | ~says, named, exact=True)

    def match_flag(self, heading: str, text: str) -> KeyMatch | None:
        """Return the cases that fit "yes" or "no" below the name of a factor that is true or false."""
        name, word = squash(heading), text.strip().lower()
        value = True if word in _YES else False if word in _NO else None
        for factor, codes in self._booleans.items():
            if squash(factor) == name and value is not None:
                own = self.evidence.codes[factor]
                code = codes.get(value)
                mask = (own == code) if code is not None else np.zeros(len(own), dtype=bool)
                return KeyMatch(
                    mask | (own < 0), {factor: frozenset({code} if code is not None else ())}, True
                )
        return None

    def match(self, text: str) -> KeyMatch | None:
        """Return the cases that fit a text, None if it names nothing that any case has."""
        if text not in self._known:
            self._known[text] = self._match(text)
        return self._known[text]

    def named_values(self, text: str) -> dict[str, frozenset[int]]:
        """Return factor -> codes of the values that a sentence contains as words, the longest ones only."""
        words = _words(text)
        spans: dict[str, list[tuple[int, int]]] = {}
        for level in dict.fromkeys(level for word in words for level in self._by_word.get(word, ())):
            if covered := _covered(words, level, "".join(level.words)):
                spans.setdefault(level.factor, []).append((covered, level.code))
        return {
            factor: frozenset(
                code
                for covered, code in own
                if not any(covered != other and covered & other == covered for other, _ in own)
            )
            for factor, own in spans.items()
        }

    def _match(self, text: str) -> KeyMatch | None:
        words = _words(text)
        bare = _words(_IN_PARENTHESES.sub(" ", text))
        is_unit = bare != words and set(words[len(bare) :]) <= NO_KEYS
        if bare and is_unit and (exact := self._exact(bare)):
            return exact
        if not words or set(words) <= NO_KEYS:
            return self._exact(words)
        whole = self._hits(words, text)
        if any(best[0][0] >= 1 for best in whole.by_factor.values()):
            return self._of_hits(whole, words, exact=True)
        counted, rest = self._counted(text)
        flags, rest = self._flags(rest)
        rest_words = tuple(word for word in _words(rest) if word not in NO_KEYS)
        hits = self._hits(rest_words, rest) if rest_words != words else whole
        rest_match = self._of_hits(
            hits, rest_words, exact=any(best[0][0] >= 1 for best in hits.by_factor.values())
        )
        parts = [*counted, *flags, *([rest_match] if rest_match else [])]
        if not parts:
            return None
        mask = np.logical_and.reduce([part.mask for part in parts])
        named: dict[str, frozenset[int]] = {}
        for part in parts:
            named.update(part.named)
        return KeyMatch(mask, named, all(part.exact for part in parts))

    def _exact(self, words: tuple[str, ...]) -> KeyMatch | None:
        """Return the cases that have a text as the value of a factor other than a folder."""
        own = "".join(words)
        hits = _Hits()
        for level in self._by_joined.get(own, ()) if words else ():
            if not is_folder(level.factor):
                hits.add(level.factor, 1.0, level.code, -1)
        return self._of_hits(hits, words, exact=True)

    def _counted(self, text: str) -> tuple[list[KeyMatch], str]:
        """Return what counts in a text mean ("8 GPUs", "bs=32", "2n8g"), and the text without them."""
        rest = unicodedata.normalize("NFKC", text[:300]).lower()
        matches: list[KeyMatch] = []
        if match := PER_NODE_PATTERN.search(rest) or NODES_BY_DEVICES.match(rest):
            nodes, devices = float(match[1]), float(match[1]) * float(match[2])
            parts = [self.match_number(("nodes",), nodes), self.match_number(("devices",), devices)]
            matches += [part for part in parts if part]
            rest = rest[: match.start()] + " " + rest[match.end() :]
        for number, factors, span in _named_numbers(rest, _NUMBER_NAME):
            if part := self.match_number(factors, number):
                matches.append(part)
                rest = rest[: span[0]] + " " * (span[1] - span[0]) + rest[span[1] :]
        for pattern, factors in _COUNTED:
            if (match := pattern.search(rest)) and (part := self.match_number(factors, float(match[1]))):
                matches.append(part)
                rest = rest[: match.start()] + " " + rest[match.end() :]
        for pattern in _TIMES:
            match = pattern.search(rest)
            if match and (part := self.match_number(("devices",), float(match[1]))) and part.named["devices"]:
                matches.append(part)
                rest = rest[: match.start()] + " " + rest[match.end() :]
        for number, factors, span in _named_numbers(rest, _NAME_NUMBER):
            if part := self.match_number(factors, number):
                matches.append(part)
                rest = rest[: span[0]] + " " * (span[1] - span[0]) + rest[span[1] :]
        for match in list(_NAMED.finditer(rest)):
            name = squash(match[1])
            factor = next((each for each in self._numbers if squash(each) == name), None)
            if factor and re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", match[2]):
                part = self.match_number((factor,), float(match[2]))
                matches += [part] if part else []
                rest = rest.replace(match[0], " ")
        return matches, rest

    def _flags(self, text: str) -> tuple[list[KeyMatch], str]:
        """Return what the names of factors that are true or false mean in a text: "w/ XLA", "w/o clip"."""
        matches = []
        for factor in self._booleans:
            if match := re.search(rf"(?<![a-z]){re.escape(factor.lower())}[a-z]{{0,4}}(?![a-z])", text):
                value = not WITHOUT.search(text[: match.start()])
                if part := self.match_flag(factor, "yes" if value else "no"):
                    matches.append(part)
                    text = text[: match.start()] + " " + text[match.end() :]
        return matches, text

    def _hits(self, words: tuple[str, ...], text: str) -> _Hits:
        hits = _Hits()
        if not words:
            return hits
        whole = "".join(words)
        precision = PRECISIONS.get(whole)
        device = find_device(text)
        for level in self._candidates(words, device is not None):
            own = "".join(level.words)
            if own == whole or (
                precision and level.factor == "precision" and PRECISIONS.get(own) == precision
            ):
                hits.add(level.factor, 1.0, level.code, -1)
            elif level.factor == "precision" and (bits := _covered_precision(words, own)):
                hits.add(level.factor, 0.9 * bits.bit_count() / len(words), level.code, bits)
            elif covered := _covered(words, level, own):
                hits.add(level.factor, 0.9 * covered.bit_count() / len(words), level.code, covered)
            elif scattered := _scattered(words, level):
                hits.add(level.factor, 0.9 * scattered.bit_count() / len(words), level.code, scattered)
            elif _is_contained(words, whole, level, own):
                hits.add(level.factor, 0.85, level.code, -1)
            elif device and device == find_device(level.text):
                hits.add(level.factor, 0.5, level.code, -1)
        return hits

    def _candidates(self, words: tuple[str, ...], everything: bool) -> Iterable[Level]:
        if everything:
            return self.levels
        near = [level for word in dict.fromkeys(words) for level in self._by_word.get(word, ())]
        # "Transformer-XL large" may be one word in the logs.
        for start in range(len(words)):
            for end in range(start + 2, min(start + _MAX_JOINED, len(words)) + 1):
                near += self._by_joined.get("".join(words[start:end]), ())
        return dict.fromkeys([*near, *self._precisions])

    def _of_hits(self, hits: _Hits, words: Sequence[str], *, exact: bool) -> KeyMatch | None:
        """Return the cases that fit best: with the text as a value, or without such a factor."""
        if not hits.by_factor:
            return None
        size = len(self.evidence.cases)
        covered = np.zeros(size, dtype=np.int64)
        whole = np.zeros(size)
        named_elsewhere = np.zeros(size, dtype=bool)
        for factor, best in hits.by_factor.items():
            codes = self.evidence.codes[factor]
            bits = np.zeros(len(self.evidence.levels[factor]) + 2, dtype=np.int64)
            weight = np.zeros(len(bits))
            for quality, code, cover in best:
                bits[code] |= max(cover, 0)
                weight[code] = quality if cover < 0 else 0
            covered |= bits[codes]
            whole = np.maximum(whole, weight[codes])
            if best[0][0] >= 1:
                named_elsewhere |= codes != ABSENT
        score = np.maximum(whole, 0.95 * _shares(covered, words))
        is_exact = whole >= 1
        others = ~is_exact & ~named_elsewhere
        best_score = max(score[others].max(initial=0), _WHOLE if is_exact.any() else 1e-9)
        mask = is_exact | (others & (score >= min(best_score, _WHOLE) - 1e-9))
        if not mask.any():
            return None
        named = {factor: frozenset(code for _, code, _ in best) for factor, best in hits.by_factor.items()}
        return KeyMatch(mask, named, exact)


def _shares(covered: NDArray[np.int64], words: Sequence[str]) -> NDArray[np.float64]:
    """Return the share of the letters of a text that each case covers, of those that any case covers."""
    shares = np.zeros(len(covered))
    patterns = [int(each) for each in np.unique(covered)]
    lengths = {
        pattern: sum(len(word) for bit, word in enumerate(words) if pattern >> bit & 1)
        for pattern in patterns
    }
    known = 0
    for pattern in patterns:
        known |= pattern
    total = sum(len(word) for bit, word in enumerate(words) if known >> bit & 1)
    for pattern, length in lengths.items():
        shares[covered == pattern] = length / total if total else 0
    return shares


def _named_numbers(
    text: str, pattern: re.Pattern[str]
) -> Iterable[tuple[float, tuple[str, ...], tuple[int, int]]]:
    """Yield (number, factors, span) of numbers beside the usual name of a factor: "4 Run", "num_nodes 2"."""
    for match in list(pattern.finditer(text)):
        if factors := factors_of_heading(match["name"]):
            yield float(match["number"]), factors, match.span()


def _covered(words: tuple[str, ...], level: Level, own: str) -> int:
    """Return the words of a text that a value consists of, as bits; 0 if the text does not contain it.

    The value may be cut into words elsewhere: "bert_base" is in "BERT Base Pretrain".
    """
    if own.isdigit() or len(own) < 2:
        return 0
    if len(own) == 2 and own.isalpha() and own not in words:
        return 0
    for start in range(len(words)):
        joined = ""
        for end in range(start, len(words)):
            joined += words[end]
            if joined == own:
                return ((1 << (end + 1 - start)) - 1) << start
            if not own.startswith(joined):
                break
    return 0


def _scattered(words: tuple[str, ...], level: Level) -> int:
    """Return the words of a value that are apart in a text, as bits: "backward pass (with forward)"."""
    if len(level.words) < 2 or any(len(word) < _MIN_CONTAINED for word in level.words):
        return 0
    if not set(level.words) <= set(words):
        return 0
    return sum(1 << at for at, word in enumerate(words) if word in level.words)


def _covered_precision(words: tuple[str, ...], own: str) -> int:
    """Return the words of a text that name the same precision as a value, as bits: FP16 names amp."""
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + 3) + 1):
            name = PRECISIONS.get("".join(words[start:end]))
            if name and name == PRECISIONS.get(own) and not "".join(words[start:end]).isdigit():
                return ((1 << (end - start)) - 1) << start
    return 0


def _is_contained(words: tuple[str, ...], whole: str, level: Level, own: str) -> bool:
    """Return whether a value contains the text, as neighbouring words or as words in any order."""
    if len(whole) < _MIN_CONTAINED or whole.isdigit() or whole not in own:
        return len(words) > 1 and len(whole) > _MIN_CONTAINED and set(words) <= set(level.words)
    mirrored = Level(level.factor, level.code, words, "")
    return _covered(level.words, mirrored, whole) > 0


def is_folder(factor: str) -> bool:
    """Return whether a factor is the name of a folder."""
    return factor.startswith(FOLDER)
