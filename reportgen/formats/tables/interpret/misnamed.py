"""Correct what a name usually says by what the cells of its column are.

`precision` with fractions is a quality of a model, `arch` with `arm64` a kind of processor, `bs` beside reads
of a disk the size of a block, and `user` with fractions is not a name.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.column_words import ColumnMeaning, meaning_of, slug, words_of
from reportgen.formats.tables.interpret.draft import Draft
from reportgen.formats.tables.interpret.questions import of_unit

_PROCESSORS = lazy_pattern(
    r"(?i)(?:x86|x64|amd64|arm|aarch|i[3-6]86|risc-?v|ppc|powerpc|s390|mips|sparc|loong|wasm|sm_?[0-9]|gfx[0-9]"
    r"|zen ?[0-9]|skylake|icelake|ampere$|hopper$|ada$|turing$|volta$|pascal$).*"
)
_LINKS = lazy_pattern(
    r"(?i)(?:wi-?fi|w?lan|wan|ethernet|[2-6]g|lte|localhost|loopback|infiniband|ib|roce|rdma|tcp|udp|bridge|host"
    r"|overlay|none|(?:main|test|dev)net|[0-9.]+ ?g(?:be|bit|bps)?|[0-9.]+ ?mb(?:it|ps)?)(?:[^a-z].*)?"
)
# Names of models, unless all cells are something else.
_NOT_MODELS = {
    **dict.fromkeys(("arch", "architecture"), _PROCESSORS),
    **dict.fromkeys(("net", "network"), _LINKS),
}
# What a name counts that begins with a metric: "accuracy.total_samples".
_COUNTED = frozenset(("documents", "examples", "images", "queries", "questions", "rows", "samples"))
# Settings are whole or recur.
_SIZES = frozenset(
    ("context", "count", "depth", "elements", "height", "resolution", "size", "width", "window")
)
_OF_STORAGE = frozenset(("disk", "fio", "iodepth", "iops", "numjobs", "nvme", "qd", "ssd"))
_ACCESS = lazy_pattern(r"(?i)(?:rand(?:om)?|seq(?:uential)?)[ _-]?(?:read|write|rw).*")


def misnamed(draft: Draft, column: str, meaning: ColumnMeaning) -> ColumnMeaning | None:
    """Return the meaning of a column whose cells are not what its name usually says; None for others."""
    own, known = slug(column.rpartition(".")[2].lstrip("./")), [str(x).strip() for x in draft.known(column)]
    is_text = draft.is_text(column)
    if own in _NOT_MODELS and is_text and all(map(_NOT_MODELS[own].fullmatch, known)):
        return ColumnMeaning("factor", factor=own)
    numbers = [] if is_text or draft.are_truths(column) else draft.numbers(column)
    are_plain = all(number is None or not number[1] for number in numbers)
    are_fractions = are_plain and any(number and not number[0].is_integer() for number in numbers)
    if meaning.factor == "precision" and are_fractions:
        return ColumnMeaning("figure", "precision", doubt="has no unit")
    if (
        meaning.kind == "figure"
        and not meaning.unit
        and draft.is_whole(column)
        and own.split("_")[-1] in _COUNTED
    ):
        unit = own.split("_")[-1]
        return replace(meaning, doubt=of_unit(unit).text, likely=unit)
    if meaning.kind in ("index", "ignored") and are_fractions and own:
        return ColumnMeaning("other", extra=(own,))
    is_chosen = not numbers or draft.is_repetitive(column) or draft.is_constant(column)
    if own in _SIZES and not is_chosen and (are_fractions or _is_after_results(draft, column)):
        return ColumnMeaning("other", extra=(own,))
    if own == "bs" and _is_storage(draft, known):
        return ColumnMeaning("factor", factor="block_size")
    return None


def _is_after_results(draft: Draft, column: str) -> bool:
    """Return whether numbers without units are after a result: settings are before them."""
    are_plain = all(number is None or not number[1] for number in draft.numbers(column))
    before = map(meaning_of, draft.columns[: draft.columns.index(column)])
    return are_plain and any(each.kind == "figure" and each.metric for each in before)


def _is_storage(draft: Draft, sizes: Sequence[str]) -> bool:
    """Return whether the sizes of a table are block sizes: 4k, 1M, or beside what is measured of a disk."""
    if any(re.fullmatch(r"[0-9]+ ?[kKmMgG](?:i?[bB])?", size) for size in sizes):
        return True
    texts = (str(cell) for name in draft.columns if draft.is_text(name) for cell in draft.known(name))
    names = {word for name in draft.columns for word in words_of(name)} | {slug(x) for x in draft.columns}
    return bool(names & {*_OF_STORAGE, "io_depth", "queue_depth"}) or any(map(_ACCESS.fullmatch, texts))
