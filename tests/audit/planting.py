"""Make tables from figures that are known, plant errors in them, and count which an audit finds.

Everything is drawn at random: which figures, the shape of the table (wide, long, two levels of headings, grouped
rows, transposed; Markdown, HTML, CSV), how numbers are written, which errors and where. `score` says which planted
errors were found, and which right cells were accused.
"""

import html
import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from reportgen.audit import AuditedDocument

Keys = Mapping[str, str]


@dataclass(frozen=True)
class Known:
    """A figure: its keys by name, what it is ("" for the one quantity of all), its value and unit.

    devices    that it was measured on, 1 if that is unknown; stale  values of other runs of the same
    elsewhere  values of other configurations that the table does not show
    """

    keys: Keys
    quantity: str
    value: float
    unit: str = ""
    devices: int = 1
    stale: tuple[float, ...] = ()
    elsewhere: tuple[float, ...] = ()


@dataclass
class Planted:
    """A table with planted errors: text -> verdict by the place where each cell starts.

    wrong  start of a cell in the text -> kind of its error; cells  starts of all cells with numbers
    """

    name: str
    text: str
    wrong: dict[int, str]
    cells: dict[int, str] = field(default_factory=dict)


@dataclass
class _Cell:
    text: str
    kind: str = ""
    is_number: bool = False


@dataclass
class _Grid:
    heads: list[list[str]]
    rows: list[list[_Cell]]


NAMES = {
    "devices": ("GPUs", "# GPUs", "devices", "num_gpus", "#GPUs", "Number of GPUs"),
    "nodes": ("nodes", "# nodes", "Nodes", "num_nodes"),
    "batch_size": ("batch size", "bs", "Batch size per GPU", "bsz", "batch_size"),
    "seq_len": ("seq len", "Sequence length", "seq_len"),
    "framework": ("Framework", "framework", "Library"),
    "model": ("Model", "model", "Network"),
    "precision": ("Precision", "dtype", "precision"),
    "device": ("GPU", "Device", "Hardware"),
    "system": ("System", "name_gpu", "Machine"),
    "task": ("Task", "Model", "Benchmark"),
    "repeat": ("repeat", "Run"),
}
UNITS = {
    "s": (("s", 1.0), ("ms", 1e-3)),
    "samples/s": (("img/s", 1.0), ("samples/s", 1.0)),
    "MiB": (("MiB", 1.0), ("GiB", 1024.0)),
    "%": (("%", 1.0),),
}
# The value of another precision, say: no audit may call it verified.
OTHER = "other configuration"
ACCUSED = ("differs", "number found, place not")
KINDS = ("decimal shift", "unit", "swap", "per device", "transposed digits", "stale", "wrong row", OTHER)


class Writer:
    """How one table writes its numbers: digits, separators, units, bold, links, footnotes."""

    def __init__(self, generator: random.Random, values: Sequence[float], units: set[str]) -> None:
        self.generator = generator
        self.unit, self.factor = (
            generator.choice(UNITS.get(units.pop(), (("", 1.0),))) if len(units) == 1 else ("", 1.0)
        )
        self.unit_place = generator.choice(("head", "cell", "none", "head")) if self.unit else "none"
        if self.factor != 1 and self.unit_place == "none":
            self.unit_place = "head"
        self.style = generator.choice(("digits", "decimals", "full"))
        self.digits = generator.choice((2, 3, 4)) if generator.random() < 0.5 else generator.choice((4, 5))
        shown = [abs(value) / self.factor for value in values if value]
        small = min(shown, default=1.0)
        self.decimals = max(0, self.digits - 1 - math.floor(math.log10(small)))
        self.separator = generator.choice(("", "", ",")) if max(shown, default=0) >= 1000 else ""
        self.decoration = generator.choice((0.0, 0.0, 0.2))

    def number(self, value: float) -> str:
        """Return a value as digits."""
        shown = value / self.factor
        if self.style == "full":
            text = repr(round(shown, 12)) if abs(shown) < 1e15 else f"{shown:.0f}"
            text = text.removesuffix(".0") if "e" not in text else f"{shown:.12f}"
        elif self.style == "decimals":
            text = f"{shown:.{min(self.decimals, 9)}f}"
        else:
            exponent = math.floor(math.log10(abs(shown))) if shown else 0
            decimals = self.digits - 1 - exponent
            text = (
                f"{shown:.{decimals}f}"
                if decimals >= 0
                else str(round(shown / 10**-decimals) * 10**-decimals)
            )
        if self.separator:
            whole, point, fraction = text.partition(".")
            text = f"{int(whole):,}{point}{fraction}"
        return text

    def cell(self, text: str, form: str) -> str:
        """Return digits with the unit and decoration of the table."""
        if self.unit_place == "cell":
            text = f"{text} {self.unit}"
        if form == "csv" or self.generator.random() >= self.decoration:
            return text
        if form == "html":
            return self.generator.choice((f"<b>{text}</b>", f'<a href="x">{text}</a>', f"{text}<sup>1</sup>"))
        return self.generator.choice(
            (f"**{text}**", f"[{text}](https://example.org)", f"{text}[^1]", f"{text}\\*")
        )


def plant(generator: random.Random, figures: Sequence[Known], *, errors: int) -> Planted:
    """Return a table of the figures with errors at random places."""
    writer = Writer(generator, [each.value for each in figures], {each.unit for each in figures})
    texts = {id(each): writer.number(each.value) for each in figures}
    kinds = dict.fromkeys(map(id, figures), "")
    for _ in range(errors):
        for _ in range(20):
            if _plant_one(generator, writer, figures, texts, kinds):
                break
    form = generator.choice(("md", "md", "html", "csv"))
    grid = _shape(generator, writer, figures, texts, kinds, form)
    title = generator.choice(("# Results\n\n", "", f"## {' '.join(sorted(_fixed(figures).values()))}\n\n"))
    return {"md": _markdown, "html": _html, "csv": _csv}[form](grid, title, generator)


def _fixed(figures: Sequence[Known]) -> dict[str, str]:
    first = figures[0].keys
    return {
        name: text for name, text in first.items() if all(each.keys.get(name) == text for each in figures)
    }


def _parsed(text: str) -> float:
    return float(text.replace(",", ""))


def _plant_one(
    generator: random.Random,
    writer: Writer,
    figures: Sequence[Known],
    texts: dict[int, str],
    kinds: dict[int, str],
) -> bool:
    """Plant one error; return whether the number now disagrees with the right one in all its digits."""
    target = generator.choice(figures)
    if kinds[id(target)]:
        return False
    kind = generator.choice(KINDS)
    right = texts[id(target)]
    other = generator.choice(figures)
    if kind == "swap":
        if kinds[id(other)] or not _differ(right, texts[id(other)]) or other.quantity != target.quantity:
            return False
        texts[id(target)], texts[id(other)] = texts[id(other)], right
        kinds[id(target)] = kinds[id(other)] = kind
        return True
    value = _wrong_value(generator, kind, target, other)
    wrong = (
        _transposed(generator, right)
        if kind == "transposed digits"
        else writer.number(value)
        if value
        else right
    )
    if not wrong or not _differ(right, wrong):
        return False
    texts[id(target)], kinds[id(target)] = wrong, kind
    return True


def _wrong_value(generator: random.Random, kind: str, target: Known, other: Known) -> float | None:
    if kind == "decimal shift":
        return target.value * 10.0 ** generator.choice((-2, -1, 1, 2))
    if kind == "unit":
        return target.value * generator.choice((1000.0, 0.001))
    if kind == "per device" and target.devices > 1:
        return target.value * generator.choice((target.devices, 1 / target.devices))
    if kind == "stale":
        drift = target.value * (1 + generator.choice((-1, 1)) * generator.uniform(0.02, 0.2))
        return generator.choice((*target.stale, drift))
    if kind == OTHER and target.elsewhere:
        return generator.choice(target.elsewhere)
    if kind == "wrong row" and other.quantity == target.quantity:
        return other.value
    return None


def _transposed(generator: random.Random, text: str) -> str:
    pairs = [
        match.start()
        for match in re.finditer(r"(?=\d\d)", text)
        if text[match.start()] != text[match.start() + 1]
    ]
    pairs = [at for at in pairs if not (text[at + 1] == "0" and at == 0)]
    if not pairs:
        return ""
    at = generator.choice(pairs)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def _differ(right: str, wrong: str) -> bool:
    """Return whether two texts cannot be the same value: more than two units of the coarser last digit apart."""
    return abs(_parsed(right) - _parsed(wrong)) > 2 * max(map(_place, (right, wrong)))


def _place(text: str) -> float:
    digits = text.replace(",", "").lstrip("-")
    if "." in digits:
        return 10.0 ** -len(digits.partition(".")[2])
    zeros = len(digits) - max(2, len(digits.rstrip("0")))
    return 10.0 ** max(0, zeros)


# Shapes


def _shape(
    generator: random.Random,
    writer: Writer,
    figures: Sequence[Known],
    texts: dict[int, str],
    kinds: dict[int, str],
    form: str,
) -> _Grid:
    varying = [name for name in figures[0].keys if name not in _fixed(figures)]
    quantities = list(dict.fromkeys(each.quantity for each in figures))
    shapes = ["long"] if len(quantities) == 1 else ["by quantity"]
    candidates = [name for name in varying if 2 <= len({each.keys[name] for each in figures}) <= 14]
    if len(varying) >= 2 and candidates:
        shapes += ["wide", "wide", *(["two levels"] if len(candidates) >= 2 and len(varying) >= 3 else [])]
        shapes += ["two levels"] if len(quantities) > 1 else []
    shape = generator.choice(shapes)
    columns: list[str] = []
    if shape in ("wide", "two levels"):
        columns = [generator.choice(candidates)]
        if shape == "two levels" and len(quantities) == 1:
            columns.append(generator.choice([name for name in candidates if name not in columns] or columns))
    columns = list(dict.fromkeys(columns))
    shown = [name for name in figures[0].keys if name in varying or generator.random() < 0.3]
    rows = [name for name in shown if name not in columns]
    generator.shuffle(rows)
    if not rows:
        rows = [next(name for name in figures[0].keys if name not in columns)]
    use_quantity = len(quantities) > 1 or not columns
    names = {name: generator.choice(NAMES.get(name, (name,))) for name in figures[0].keys}
    at: dict[tuple[tuple[str, ...], tuple[str, ...]], _Cell] = {}
    for each in figures:
        column = tuple(each.keys[name] for name in columns) + ((each.quantity,) if use_quantity else ())
        cell = _Cell(writer.cell(texts[id(each)], form), kinds[id(each)], is_number=True)
        at.setdefault((tuple(each.keys[name] for name in rows), column), cell)
    heads = _heads(
        generator, writer, list(dict.fromkeys(column for _, column in at)), columns, names, use_quantity
    )
    column_keys = list(dict.fromkeys(column for _, column in at))
    body = [
        [*(_Cell(text) for text in row), *(at.get((row, column)) or _Cell("-") for column in column_keys)]
        for row in dict.fromkeys(row for row, _ in at)
    ]
    generator.shuffle(body) if generator.random() < 0.2 else None
    left = [names[name] for name in rows]
    levels = [
        [*(left if number == len(heads) - 1 else [""] * len(left)), *level]
        for number, level in enumerate(heads)
    ]
    return _Grid(levels, body)


def _heads(
    generator: random.Random,
    writer: Writer,
    keys: Sequence[tuple[str, ...]],
    columns: Sequence[str],
    names: Mapping[str, str],
    use_quantity: bool,
) -> list[list[str]]:
    def text(name: str, value: str) -> str:
        return f"{value} {names[name]}" if value.isdigit() and generator.random() < 2 else value

    unit = f" ({writer.unit})" if writer.unit_place == "head" else ""
    levels = [[text(name, key[number]) for key in keys] for number, name in enumerate(columns)]
    if use_quantity:
        levels.append([key[-1] or "throughput" for key in keys])
    levels[-1] = [head + unit for head in levels[-1]]
    if len(levels) > 1 and generator.random() < 0.3:
        return [[" ".join(parts) for parts in zip(*levels, strict=True)]]
    return levels


# Forms


def _joined(parts: Sequence[tuple[str, _Cell | None]], name: str) -> Planted:
    text = ""
    planted = Planted(name, "", {})
    for part, cell in parts:
        if cell is not None and cell.is_number:
            planted.cells[len(text)] = cell.kind
            if cell.kind:
                planted.wrong[len(text)] = cell.kind
        text += part
    planted.text = text
    return planted


def _markdown(grid: _Grid, title: str, generator: random.Random) -> Planted:
    heads = [[_escaped(head) for head in level] for level in grid.heads]
    parts: list[tuple[str, _Cell | None]] = [(title, None)]
    blank = generator.random() < 0.5
    for number, level in enumerate(heads):
        shown = level
        if number < len(heads) - 1 and blank:
            shown = ["" if at and text == level[at - 1] else text for at, text in enumerate(level)]
        parts.append((f"| {' | '.join(shown)} |\n", None))
        if number == 0:
            parts.append((f"|{' --- |' * len(level)}\n", None))
    pad = generator.random() < 0.5
    for row in grid.rows:
        parts.append(("|", None))
        for cell in row:
            parts += [
                (" ", None),
                (cell.text if cell.is_number else _escaped(cell.text), cell),
                ("   |" if pad else " |", None),
            ]
        parts.append(("\n", None))
    return _joined(parts, "table.md")


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def _html(grid: _Grid, title: str, generator: random.Random) -> Planted:
    parts: list[tuple[str, _Cell | None]] = [(f"<h1>{title.strip('# ')}</h1><table>\n<thead>", None)]
    for level in grid.heads:
        parts.append(("<tr>", None))
        at = 0
        while at < len(level):
            span = 1
            while at + span < len(level) and level[at + span] == level[at] and level is not grid.heads[-1]:
                span += 1
            parts.append((f'<th colspan="{span}">{html.escape(level[at])}</th>', None))
            at += span
        parts.append(("</tr>\n", None))
    parts.append(("</thead><tbody>\n" if generator.random() < 0.5 else "</thead>\n", None))
    for row in grid.rows:
        parts.append(("<tr>", None))
        for cell in row:
            parts += [
                ("<td>", None),
                (cell.text if cell.is_number else html.escape(cell.text), cell),
                ("</td>", None),
            ]
        parts.append(("</tr>\n", None))
    parts.append(("</table>\n", None))
    return _joined(parts, "table.html")


def _csv(grid: _Grid, title: str, generator: random.Random) -> Planted:
    heads = [
        " ".join(part for part in dict.fromkeys(parts) if part) for parts in zip(*grid.heads, strict=True)
    ]
    mark = generator.choice((",", ",", ";", "\t"))
    parts: list[tuple[str, _Cell | None]] = [(mark.join(_quoted(head, mark) for head in heads) + "\n", None)]
    for row in grid.rows:
        for number, cell in enumerate(row):
            parts += [(mark if number else "", None), (_quoted(cell.text, mark), cell)]
        parts.append(("\n", None))
    return _joined(parts, "table.tsv" if mark == "\t" else "table.csv")


def _quoted(text: str, mark: str) -> str:
    return f'"{text}"' if mark in text else text


# Scores


@dataclass
class Score:
    """How many errors were planted and found, and how many right cells were accused.

    elsewhere  values of other configurations that were called verified
    """

    planted: dict[str, int] = field(default_factory=dict)
    found_errors: dict[str, int] = field(default_factory=dict)
    right: int = 0
    false: int = 0
    verified: int = 0
    elsewhere: int = 0

    def add(self, planted: Planted, audited: AuditedDocument) -> list[str]:
        """Add a table; return what was missed or accused falsely, in words."""
        remarks = []
        accused = {each.cell.start: each for each in audited.judgements if each.verdict in ACCUSED}
        agreeing = {each.cell.start for each in audited.judgements if each.verdict in ("verified", "rounded")}
        self.elsewhere += sum(kind == OTHER and start in agreeing for start, kind in planted.wrong.items())
        self.verified += sum(audited.counts[name] for name in ("verified", "rounded"))
        for start, kind in planted.wrong.items():
            self.planted[kind] = self.planted.get(kind, 0) + 1
            if start in accused:
                self.found_errors[kind] = self.found_errors.get(kind, 0) + 1
            else:
                remarks.append(f"missed {kind}: {planted.text[start : start + 20]!r}")
        self.right += len(planted.cells) - len(planted.wrong)
        for start, each in accused.items():
            if start not in planted.wrong:
                self.false += 1
                remarks.append(f"accused {each.text!r} in line {each.cell.line}, expected {each.expected}")
        return remarks

    @property
    def share(self) -> float:
        """The share of planted errors that were found."""
        return sum(self.found_errors.values()) / max(1, sum(self.planted.values()))


Draw = Callable[[random.Random], list[Known]]
