"""Recognise what the names of one level of a path are: devices, models, versions, dates, hosts, sizes.

A name is read whole (`A40`, `2026-01-05`) or by its words (`resnet50_bs16_run2.log`), and a word has a role
only if it has the same one in all names of the level. What no role explains stays unknown: a person has to
name it.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from reportgen.core.book.models import find_model
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue
from reportgen.labels.path_pattern import PathPattern
from reportgen.labels.path_tokens import PRECISIONS

# Names of devices that mean nothing else, and numbers that mean a device only beside these.
_SURE = (
    r"k[48]0|m[46]0|p(?:4|40|100)|v100s?|t4|a(?:2|10g?|16|30|40|100|800)|l(?:4|20|40s?)|h(?:20|100|200|800)"
    r"|b[123]00|gh200|gb[23]00|mi[0-9]{2,3}[xa]?|gaudi ?[0-9]?|tpu ?v?[0-9]+[a-z]?"
    r"|rtx ?a?[0-9]{4}(?: ?ti| ?super| ?ada)?|gtx ?[0-9]{3,4}(?: ?ti)?|[0-9]{3,4} ?(?:ti|super)"
    r"|a[456][05]00|titan ?(?:rtx|xp|v|x)"
)
_UNSURE = r"[1-5]0[5-9]0|cpu|gpu"
_MAKERS = r"(?:(?:nvidia|amd|intel|geforce|tesla|quadro|instinct) ?)*"
_FORM = r"(?: ?(?:[0-9]{2,3} ?gb|sxm[0-9]?|pcie|nvl|nvlink|hbm[0-9]e?))*"
_DEVICE = lazy_pattern(rf"{_MAKERS}(?:(?P<sure>{_SURE})|{_UNSURE}){_FORM}", re.IGNORECASE)
_FRAMEWORKS = frozenset((
    "pytorch", "torch", "tensorflow", "tf", "tf1", "tf2", "jax", "flax", "keras", "mxnet", "paddle",
    "paddlepaddle", "mindspore", "oneflow", "megengine", "megatron", "deepspeed", "onnxruntime", "tensorrt",
    "vllm", "sglang", "tgi", "lmdeploy", "trtllm", "llamacpp", "mlx",
))  # fmt: skip
# How names of models begin that are nothing else; the size may follow.
_MODEL = lazy_pattern(
    r"(?:resnet|resnext|vgg|densenet|inception|mobilenet|efficientnet|convnext|vit|swin|deit|yolo|unet"
    r"|bert|distilbert|roberta|distilroberta|albert|electra|deberta|gpt|llama|mistral|mixtral|qwen|gemma"
    r"|deepseek|mamba|gnmt|dlrm|tacotron|waveglow|wav2vec|whisper)v?[0-9]*[a-z]?[0-9.]*[bm]?(?:v[0-9.]+)?",
    re.IGNORECASE,
)
_DAY = r"(?:19|20)[0-9]{2}(?P<mark>[-_.]?)(?:0[1-9]|1[0-2])(?P=mark)(?:0[1-9]|[12][0-9]|3[01])"
_DATE = lazy_pattern(_DAY)
# The time of a day behind its date, as programs write it into names.
_TIME = lazy_pattern(r"T?[0-2][0-9][0-5][0-9](?:[0-5][0-9])?Z?")
_DATE_AND_TIME = lazy_pattern(rf"({_DAY})(T[0-9]{{4,6}}Z?)")
# gpu-a07 and gpu03 are hosts; gpu8 may be a device, or eight of them.
_NODE = lazy_pattern(
    r"(?:[a-z]+[-_]?)?(?:node|host|worker|server|dgx|hgx|rack|nid|compute|blade)[-_]?[a-z]{0,2}[0-9]+"
    r"(?:[-_]?[a-z]{1,2}[0-9]+)*"
    r"|(?:gpu|cn|vm)[-_]?(?:[a-z]{1,2}[0-9]+|0[0-9]+)(?:[-_]?[a-z]{1,2}[0-9]+)*",
    re.IGNORECASE,
)

# v2, v1.4.0, 1.4.0rc1; a number with one point may be any setting, one with three an address of a host.
_VERSION = lazy_pattern(
    r"(?:v[0-9]{1,4}(?:\.[0-9]{1,5}){0,3}|[0-9]{1,4}(?:\.[0-9]{1,5}){2})(?:[-.]?(?:a|b|rc|dev|post)\.?[0-9]{0,5})?"
)
# A version after any word: v2 after another word may be a model's, as in mobilenet_v2.
_SURE_VERSION = lazy_pattern(r"v?[0-9]+(?:\.[0-9]+){2}.*")
# Whole hashes of git: fewer digits may be the number of a job.
_HASH = lazy_pattern(r"(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{40}")

# What the number beside a word is: bs16, batch_16, 8gpus. A letter alone may be a part of a name: ViT-B/16.
_NUMBERS: Mapping[str, str] = {
    "bs": "batch_size", "batch": "batch_size", "batchsize": "batch_size",
    "mbs": "micro_batch_size", "gbs": "global_batch_size", "seq": "seq_len", "seqlen": "seq_len",
    "tp": "tensor_parallel", "pp": "pipeline_parallel", "dp": "data_parallel",
    "conc": "concurrency", "concurrency": "concurrency", "qps": "request_rate", "rps": "request_rate",
    "gpus": "devices", "ngpu": "devices", "ngpus": "devices", "devices": "devices", "nodes": "nodes",
}  # fmt: skip
_NUMBERS_BEFORE: Mapping[str, str] = {
    "gpu": "devices", "gpus": "devices", "devices": "devices", "node": "nodes", "nodes": "nodes",
}  # fmt: skip
# 2n8g: two nodes, each with eight GPUs. b128 is a batch; b0 to b32 are sizes of models, such as ViT-B/16.
_MACHINES = lazy_pattern(r"([0-9]{1,5})n([0-9]{1,3})[gd]")
_MIN_BATCH = 64
# What a step works on follows from these.
_WORK = frozenset(("batch_size", "devices", "nodes", "devices_per_node"))
_REPEATS = frozenset((
    "r", "run", "rep", "repeat", "trial", "try", "attempt", "result", "round", "seed", "job", "sample",
))  # fmt: skip
_SEPARATOR = lazy_pattern(r"([_\-]+)")
# A date is one word, whatever its marks are.
_WORDS = lazy_pattern(rf"({_DAY}(?=[_\-]|\Z)|[^_\-]+|[_\-]+)")
_NUMBERED = lazy_pattern(r"([A-Za-z]+)([0-9]{1,9})")
_COUNTED = lazy_pattern(r"([0-9]{1,9})([A-Za-z]+)")
_TIMES = lazy_pattern(r"([0-9]{1,4}x)(.+)", re.IGNORECASE)
# A part of a pattern that matches anything, and the one that stands for words without a role.
_ANY, UNKNOWN = "{_}", "{?}"


@dataclass(frozen=True, slots=True)
class LevelRoles:
    """The meaning of the names of a level.

    pattern  of a name, with `UNKNOWN` for the words without a role if they are in one place
    values   name -> the values of the factors in the pattern
    unknown  name -> the words without a role, "" if there are none
    """

    pattern: str
    values: Mapping[str, Mapping[str, str]]
    unknown: Mapping[str, str]

    @property
    def factors(self) -> list[str]:
        """The factors in the order of the pattern."""
        return list(next(iter(self.values.values())))

    def without(self, names: Collection[str]) -> "LevelRoles":
        """Return the same without some factors: their words do not matter."""
        pattern = self.pattern
        for name in names:
            pattern = re.sub(rf"\{{{re.escape(name)}(?::int|:date)?\}}", _ANY, pattern)
        values = {
            each: {name: value for name, value in own.items() if name not in names}
            for each, own in self.values.items()
        }
        return replace(self, pattern=pattern, values=values)

    def renamed(self, old: str, new: str) -> "LevelRoles":
        """Return the same with another name for a factor."""
        values = {
            each: {new if name == old else name: value for name, value in own.items()}
            for each, own in self.values.items()
        }
        return replace(self, pattern=self.pattern.replace(f"{{{old}}}", f"{{{new}}}"), values=values)

    def told(self, name: str) -> dict[str, FactorValue]:
        """Return the factors that a name gives."""
        return PathPattern.parse(self.naming("")).match(name) or {}

    def naming(self, name: str) -> str:
        """Return the pattern with a name for the words without a role; "" for a name that is not needed."""
        return self.pattern.replace(UNKNOWN, f"{{{name}}}" if name else _ANY)


def level_roles(names: Collection[str]) -> LevelRoles | None:
    """Return what the names of a level are; None if no role explains any part of them."""
    ordered = sorted(set(names))
    for factor, is_role in _WHOLE:
        if is_role(ordered):
            values = {name: {factor: name} for name in ordered}
            kind = ":date" if factor == "date" else ""
            return LevelRoles(f"{{{factor}{kind}}}", values, dict.fromkeys(ordered, ""))
    return _by_words(ordered)


def kind_of(name: str) -> tuple[str, ...]:
    """Return the factors that a name gives, with its other words in their places; () if it gives none."""
    for factor, is_role in _WHOLE:
        if is_role([name]):
            return (factor,)
    pieces = _words(name)
    words = [_role([word], pieces[2 * n - 2 : 2 * n - 1]) for n, word in enumerate(pieces[::2])]
    if not any(word.factors for word in words):
        return ()
    kinds = (word.factors or (piece,) for word, piece in zip(words, pieces[::2], strict=True))
    return tuple(name for kind in kinds for name in kind)


def are_repeats(names: Collection[str]) -> bool:
    """Return whether names count repeats: a word for a repeat, and a number."""
    matches = [_NUMBERED.fullmatch(_SEPARATOR.sub("", name)) for name in names]
    return all(match and match[1].lower() in _REPEATS for match in matches)


def devices_of(name: str) -> list[str]:
    """Return the words of a name that mean a device and nothing else."""
    if _are_devices([name]):
        return [name]
    return [word for word in _words(name)[::2] if _are_devices([word])]


def models_of(name: str) -> list[str]:
    """Return the words of a name that are a model, such as resnet50."""
    return [word for word in _words(name)[::2] if _MODEL.fullmatch(word) or find_model(word)]


def _are_devices(names: Sequence[str]) -> bool:
    """Return whether all names are devices, at least one of them of a name that means nothing else."""
    matches = [_DEVICE.fullmatch(name.replace("_", " ").replace("-", " ")) for name in names]
    return all(matches) and any(match["sure"] for match in matches if match)


def _are_frameworks(names: Sequence[str]) -> bool:
    return all(name.lower().replace("-", "") in _FRAMEWORKS for name in names)


def _are_dates(names: Sequence[str]) -> bool:
    return all(_DATE.fullmatch(name) for name in names)


def _are_nodes(names: Sequence[str]) -> bool:
    return all(_NODE.fullmatch(name) for name in names)


def _are_versions(names: Sequence[str]) -> bool:
    return all(map(_VERSION.fullmatch, names))


def _are_versions_after(before: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether words are versions, of nothing or of a program in the words before them."""
    is_free = not re.search("[A-Za-z]", "".join(before)) or _are_frameworks(before)
    return _are_versions(words) and (is_free or all(map(_SURE_VERSION.fullmatch, words)))


def _are_commits(names: Sequence[str]) -> bool:
    return all(map(_HASH.fullmatch, names))


def _are_precisions(names: Sequence[str]) -> bool:
    return all(name.lower() in PRECISIONS for name in names)


def _are_models(names: Sequence[str]) -> bool:
    return all(find_model(name) for name in names)


_WHOLE: Sequence[tuple[str, Callable[[Sequence[str]], bool]]] = (
    ("device", _are_devices),
    ("framework", _are_frameworks),
    ("date", _are_dates),
    ("node", _are_nodes),
    ("version", _are_versions),
    ("commit", _are_commits),
    ("precision", _are_precisions),
    ("model", _are_models),
)


@dataclass(frozen=True, slots=True)
class _Word:
    """One of the words of all names: its pattern, and the factors that it gives, with their values."""

    pattern: str
    factors: Mapping[str, Sequence[str]] = field(default_factory=dict)


def _by_words(names: Sequence[str]) -> LevelRoles | None:
    """Return the roles of the words of all names; where some have more, of the last words."""
    split = [_words(name) for name in names]
    shortest = min(map(len, split))
    has_head = max(map(len, split)) > shortest
    # Words are at even places. The first word of the shortest name belongs to the heads of the others.
    length = shortest - 1 if has_head else shortest
    tails = [parts[len(parts) - length :] for parts in split]
    heads = ["".join(parts[: len(parts) - length]) for parts in split]
    columns = [*zip(*tails, strict=True)]
    first = 1 if has_head else 0
    if any(len(set(column)) > 1 for column in columns[1 - first :: 2]):
        return None  # other marks between the words: other words
    words = [
        _word(column, columns[i - 2] if i >= 2 else ()) for i, column in enumerate(columns) if i % 2 == first
    ]
    pieces: list[str] = [UNKNOWN] if has_head else []
    for i, word in enumerate(words):
        pieces += [columns[2 * i + first - 1][0]] if i or has_head else []
        pieces.append(word.pattern)
    factors = [factor for word in words for factor in word.factors]
    if not factors or len(set(factors)) < len(factors):
        return None
    lost = [i for i, word in enumerate(words) if word.pattern == UNKNOWN]
    unknown = [
        head + "".join(tail[2 * i + first] for i in lost) for head, tail in zip(heads, tails, strict=True)
    ]
    if len(lost) + has_head > 1:
        return None
    values = {
        name: {factor: each[n] for word in words for factor, each in word.factors.items()}
        for n, name in enumerate(names)
    }
    return LevelRoles("".join(pieces), values, dict(zip(names, unknown, strict=True)))


def _words(name: str) -> list[str]:
    """Return the words of a name at even places, and the marks between them."""
    pieces = [match[0] for match in _WORDS.finditer(name)]
    if pieces and _SEPARATOR.fullmatch(pieces[0]):
        pieces.insert(0, "")
    return [*pieces, ""] if len(pieces) % 2 == 0 else pieces


def _word(words: Sequence[str], before: Sequence[str]) -> _Word:
    """Return the role of the words at one place of several names; `before` are those before them.

    A word that all names share is a size or nothing: it gives the work where the logs do not state it.
    """
    if len(set(words)) > 1:
        return _role(words, before)
    word = _number(words, before)
    return word if _WORK.issuperset(word.factors) and word.factors else _Word(_ANY)


def _role(words: Sequence[str], before: Sequence[str]) -> _Word:
    if _are_dates(words):
        return _Word("{date:date}", {"date": words})
    if dated := _matched(_DATE_AND_TIME, words):
        days = [day for day, _ in dated]
        return _Word(f"{{date:date}}T{_ANY}", {"date": days})
    if _are_dates(before) and all(map(_TIME.fullmatch, words)):
        return _Word(_ANY)
    if _are_devices(words):
        return _Word("{device}", {"device": words})
    if _are_frameworks(words):
        return _Word("{framework}", {"framework": words})
    for factor, is_role in (
        ("precision", _are_precisions),
        ("version", partial(_are_versions_after, before)),
        ("commit", _are_commits),
    ):
        if is_role(words):
            return _Word(f"{{{factor}}}", {factor: words})
    if times := _matched(_TIMES, words):
        devices = [device for _, device in times]
        return _Word(f"{_ANY}x{{device}}", {"device": devices}) if _are_devices(devices) else _Word(UNKNOWN)
    return _number(words, before)


def _number(words: Sequence[str], before: Sequence[str]) -> _Word:
    """Return the role of words with a number: a size by the word beside it, a repeat, else unknown."""
    if (numbered := _matched(_NUMBERED, words)) and len({word for word, _ in numbered}) == 1:
        word = numbered[0][0]
        if word.lower() in _REPEATS:
            return _Word(_ANY)
        if factor := _NUMBERS.get(word.lower()):
            return _Word(f"{word}{{{factor}:int}}", {factor: [number for _, number in numbered]})
        is_batch = word == "b" and max(int(number) for _, number in numbered) >= _MIN_BATCH
        if is_batch and not _are_devices(words):  # b200 alone is a GPU
            return _Word("b{batch_size:int}", {"batch_size": [number for _, number in numbered]})
    if counted := _matched(_COUNTED, words):
        units = {word for _, word in counted}
        factors = {_NUMBERS_BEFORE.get(unit.lower(), "") for unit in units}
        if len(factors) == 1 and (factor := factors.pop()):
            unit = units.pop() if len(units) == 1 else _ANY  # 1gpu and 2gpus
            return _Word(f"{{{factor}:int}}{unit}", {factor: [number for number, _ in counted]})
    if machines := _matched(_MACHINES, words):
        nodes, each = zip(*machines, strict=True)
        end = words[0][-1] if len({word[-1] for word in words}) == 1 else _ANY
        return _Word(
            f"{{nodes:int}}n{{devices_per_node:int}}{end}", {"nodes": nodes, "devices_per_node": each}
        )
    if all(word.isdecimal() and word.isascii() for word in words) and len(set(before)) == 1:
        if factor := _NUMBERS.get(before[0].lower()):
            return _Word(f"{{{factor}:int}}", {factor: words})
        if before[0].lower() in _REPEATS:
            return _Word(_ANY)
    return _Word(UNKNOWN)


def _matched(pattern: re.Pattern[str], words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the two groups of a pattern in each word; [] unless it matches all words."""
    matches = [match for word in words if (match := pattern.fullmatch(word))]
    return (
        [(match.groups()[0], match.groups()[-1]) for match in matches] if len(matches) == len(words) else []
    )
