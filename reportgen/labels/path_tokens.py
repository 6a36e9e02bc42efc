"""Read the settings that names of files and folders contain, where the log does not state them.

`PyTorch_ncf_FP16/` and `PyTorch_ncf_FP32/` differ in a number alone, as numbered repeats do. The words below
are settings whatever else a name says, so runs that differ in one are different cases and no repeats.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Factors, FactorValue, Finding, Run
from reportgen.core.rules import Rule

# A word of a path -> the precision that it means.
PRECISIONS: Mapping[str, str] = {
    "float16": "fp16", "float32": "fp32", "float64": "fp64", "bfloat16": "bf16",
    **{name: name for name in ("fp8", "fp16", "fp32", "fp64", "bf16", "tf32", "amp", "int8")},
}  # fmt: skip
_WORDS: Mapping[str, tuple[str, FactorValue]] = {
    **{word: ("precision", value) for word, value in PRECISIONS.items()},
    "xla": ("xla", True),
    "noxla": ("xla", False),
    "compile": ("execution", "compile"),
    "compiled": ("execution", "compile"),
    "eager": ("execution", "eager"),
    "train": ("mode", "train"),
    "training": ("mode", "train"),
    "infer": ("mode", "inference"),
    "inference": ("mode", "inference"),
}
_TOKEN = lazy_pattern(r"[a-z0-9]+")
# "8xA100" and "4x2080ti" count devices, "1024x768" is a size, "p3.16xlarge" is a name of Amazon's. A bare
# "8x" is a folder of runs on eight devices, or a part of a name, where it may be a schedule (`fpn_1x_coco`).
_TIMES = lazy_pattern(r"([1-9][0-9]{0,3})x(.*)")
_DEVICE = lazy_pattern(
    r"gpus?|(?:rtx|gtx|quadro|tesla)[a-z0-9]*|[0-9]{3,4}(?:ti|super)|[abghltv]{1,2}[0-9]{1,4}[a-z]*"
)

# Single-precision formats; a log that names one of these contradicts a path that names none of them.
_SINGLE, _REDUCED = {"fp32", "tf32"}, {"fp8", "fp16", "bf16", "amp", "int8"}


def add_path_settings(run: Run) -> Run:
    """Return the run with the settings in its path that neither its log nor its labels give.

    The log wins; a precision in the path that contradicts it is a finding. A factor that has the word in its
    value says it already, unless the value is a whole name of the path, as a label for folders gives it.
    """
    settings = _settings(run.source.path)
    if not settings:
        return run
    missing = {name: setting for name, setting in settings.items() if name not in run.factors}
    said = _said(run) if missing else set()
    added = {name: value for name, (value, tokens) in missing.items() if not said.issuperset(tokens)}
    findings = tuple(_conflicts(run, settings))
    if not added and not findings:
        return run
    return replace(run, factors={**run.factors, **added}, findings=(*run.findings, *findings))


def without_settings(name: str, stated: Collection[str]) -> str:
    """Return a name of a path without the words for settings that are stated elsewhere."""
    words = re.split(r"([^A-Za-z0-9]+)", name)
    kept = (word for word in words if _WORDS.get(word.lower(), ("",))[0] not in stated)
    return "".join(kept)


def _said(run: Run) -> set[str]:
    """Return the words in the values of the factors."""
    names = {part.rpartition(".")[0] or part for part in run.source.path.lower().split("/")}
    names |= set(run.source.path.lower().split("/"))
    values = (str(value).lower() for value in run.factors.values())
    return {token for value in values if value not in names or value in _WORDS for token in _tokens(value)}


def _settings(path: str) -> dict[str, tuple[FactorValue, frozenset[str]]]:
    """Return factor -> value and the words that give it; the innermost name that has such a word decides."""
    settings: dict[str, tuple[FactorValue, frozenset[str]]] = {}
    for part in path.split("/"):
        for name, values in _words_of(part).items():
            tokens = frozenset(values.values())
            if len(values) == 1:
                settings[name] = next(iter(values)), tokens
            elif name == "precision":
                settings[name] = "+".join(sorted(map(str, values))), tokens
            else:
                settings.pop(name, None)  # the name contradicts itself
    return settings


@lru_cache(maxsize=1024)  # logs share most folders
def _words_of(part: str) -> Mapping[str, Mapping[FactorValue, str]]:
    """Return factor -> value -> the word that means it, of one name in a path."""
    words: dict[str, dict[FactorValue, str]] = {}
    for token in _tokens(part):
        for name, value in _meanings(token, is_whole=token == part.lower()):
            words.setdefault(name, {}).setdefault(value, token)
    if "devices" in words and words.get("times", {}).keys() == {1}:
        del words["times"]  # `1x_8xH100` is one machine of these
    return words


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())


def _meanings(token: str, *, is_whole: bool) -> Iterator[tuple[str, FactorValue]]:
    """Yield what a word means; `is_whole` if it is all of a name."""
    if token in _WORDS:
        yield _WORDS[token]
    elif match := _TIMES.fullmatch(token):
        if _DEVICE.fullmatch(match[2]) or (is_whole and not match[2]):
            yield "devices", int(match[1])
        elif not match[2]:
            yield "times", int(match[1])


def _conflicts(run: Run, settings: Mapping[str, tuple[FactorValue, frozenset[str]]]) -> Iterator[Finding]:
    logged = _precisions(run.factors)
    if not logged or "precision" not in settings:
        return
    named = set(str(settings["precision"][0]).split("+"))
    if (logged <= _SINGLE and named <= _REDUCED) or (logged <= _REDUCED and named <= _SINGLE):
        both = f"the log says {run.factors['precision']}, the path says {settings['precision'][0]}"
        message = f"precision: {both}; using the log"
        yield Finding("warning", Rule.READ_LABEL_CONFLICT, run.id, message, run.source)


def _precisions(factors: Factors) -> set[str]:
    """Return the precisions in the factor of that name; empty if it names one that is not known."""
    tokens = _tokens(str(factors.get("precision", "")))
    return {PRECISIONS[token] for token in tokens} if all(token in PRECISIONS for token in tokens) else set()
