"""Compare what two SVGs of matplotlib draw.

Two versions of matplotlib write the same figure with other bytes: they name glyphs and clip paths
differently, and the margins around the axes differ by some points. So a drawing is reduced to its shapes:
each with its style and its points on the page, references resolved. What is inside the axes has to be at the
same place of the axes; texts and legends have to be equal, at almost the same place of the page or, as labels
of ticks are, beside the axes.

An element or attribute that matplotlib does not write for our figures is an UnknownDrawingError, so a file
with a script or a link to another host equals no drawing.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from reportgen.core.lazy_pattern import lazy_pattern

# In points (1/72 inch); a figure is 432 wide, a line 1.8. matplotlib 3.9 and 3.11 differ by 0.1 in the axes,
# and by 3.1 per line of text that is above or below them.
_MAX_DIFFERENCE = 0.25
_MAX_LAYOUT_SHIFT = 3.0
_MAX_AXES_SHIFT = 8.0
# Ticks and their labels are this far outside of the axes.
_TICK_LENGTH = 4.0
_BASELINE = 10.0

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
# The attributes of each element that can be drawn; `g` and `svg` contain others.
_KNOWN = {
    "svg": {"width", "height", "viewBox", "version"},
    "title": set(),
    "g": {"id", "style", "transform", "clip-path"},
    "path": {"id", "d", "style", "transform", "clip-path"},
    "use": {_HREF, "x", "y", "style", "transform"},
    "text": {"x", "y", "style", "transform"},
}
_DEFINED = {"path": _KNOWN["path"], "clipPath": {"id"}, "style": {"type"}}
_RECTANGLE = ("x", "y", "width", "height")
_TOKEN = lazy_pattern(r"([A-Za-z])|(-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)|[\s,]+")
_TRANSFORM = lazy_pattern(r"(translate|scale|rotate|matrix)\(([^()]*)\)")
_CLIP = lazy_pattern(r"url\(#([^()]+)\)")

_TEXT, _CLIPPED = "text", ("clipped",)
# (a, b, c, d, e, f) of SVG: x' = a x + c y + e, y' = b x + d y + f.
_Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class UnknownDrawingError(ValueError):
    """The file contains something that matplotlib does not write for a figure."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One element as it is drawn.

    what    its kind, depth, style, text and path commands, which have to be equal
    points  x and y in turn, in points on the page
    """

    what: tuple[str, ...]
    points: tuple[float, ...] = ()


def is_same_drawing(old: bytes, new: bytes) -> bool:
    """Return whether `old` draws what `new` draws, whichever version of matplotlib wrote it."""
    try:
        drawn, expected = shapes_of(old), shapes_of(new)
    except (ElementTree.ParseError, ValueError, RecursionError):
        return False
    if [shape.what for shape in drawn] != [shape.what for shape in expected]:
        return False
    old_axes, new_axes = _axes(drawn), _axes(expected)
    if not _are_near(old_axes, new_axes, _MAX_AXES_SHIFT):
        return False
    pairs = zip(drawn, expected, strict=True)
    return all(
        _are_near(_moved(old.points, old_axes, new_axes), new.points, _MAX_DIFFERENCE)
        if _is_in_axes(new, new_axes)
        else _is_shifted(old.points, new.points)
        or _are_near(_moved(old.points, old_axes, new_axes), new.points, _MAX_LAYOUT_SHIFT)
        for old, new in pairs
    )


def _axes(drawn: list[Shape]) -> tuple[float, ...]:
    """Return left, top, right and bottom of the axes, to which all data are clipped."""
    return next((shape.points for shape in drawn if shape.what == _CLIPPED), (0.0, 0.0, 1.0, 1.0))


def _is_in_axes(shape: Shape, axes: tuple[float, ...]) -> bool:
    left, top, right, bottom = axes
    return shape.what[0] != _TEXT and all(
        left - _TICK_LENGTH <= x <= right + _TICK_LENGTH and top - _TICK_LENGTH <= y <= bottom + _TICK_LENGTH
        for x, y in zip(shape.points[::2], shape.points[1::2], strict=True)
    )


def _moved(points: tuple[float, ...], old: tuple[float, ...], new: tuple[float, ...]) -> tuple[float, ...]:
    """Return the points at the same place of the new axes."""
    scales = [(new[i + 2] - new[i]) / ((old[i + 2] - old[i]) or math.nan) for i in (0, 1)]
    return tuple(new[i % 2] + (value - old[i % 2]) * scales[i % 2] for i, value in enumerate(points))


def _is_shifted(old: tuple[float, ...], new: tuple[float, ...]) -> bool:
    """Return whether the points are the same apart from a small shift of all of them."""
    shifts = [a - b for a, b in zip(old, new, strict=True)] if len(old) == len(new) else [math.inf]
    return all(abs(shift) <= _MAX_LAYOUT_SHIFT for shift in shifts) and all(
        abs(shift - shifts[i % 2]) <= _MAX_DIFFERENCE for i, shift in enumerate(shifts)
    )


def _are_near(old: tuple[float, ...], new: tuple[float, ...], most: float) -> bool:
    return len(old) == len(new) and all(abs(a - b) <= most for a, b in zip(old, new, strict=True))


def shapes_of(svg: bytes) -> list[Shape]:
    """Return the shapes of a drawing in the order in which they are drawn. Raises UnknownDrawingError."""
    # ElementTree expands entities and drops style sheets of the prologue without a word.
    if b"<!ENTITY" in svg or b"<!ATTLIST" in svg or svg.count(b"<?") > 1:
        raise UnknownDrawingError("declarations")
    root = ElementTree.fromstring(svg)
    return list(_Drawing(_definitions(root)).shapes_of(root, _IDENTITY, 0))


def _definitions(root: Element) -> dict[str, Element]:
    """Return the glyphs, markers and clip paths by id, all of them checked, used or not."""
    defined: dict[str, Element] = {}
    for defs in root.iter(f"{_SVG}defs"):
        if defs.attrib:
            raise UnknownDrawingError("defs")
        for element in defs:
            kind, name = element.tag.removeprefix(_SVG), element.attrib.get("id", "")
            children = [(child.tag, set(child.attrib), len(child)) for child in element]
            expected = [(f"{_SVG}rect", set(_RECTANGLE), 0)] if kind == "clipPath" else []
            known = element.attrib.keys() <= _DEFINED.get(kind, set())
            if kind not in _DEFINED or not known or children != expected or name in defined:
                raise UnknownDrawingError(kind)
            if kind != "style":
                defined[name] = element
    return defined


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A drawing with its defined glyphs, markers and clip paths by id."""

    defined: Mapping[str, Element]

    def shapes_of(self, element: Element, outer: _Matrix, depth: int) -> Iterator[Shape]:
        """Yield the shapes of an element and of those inside it."""
        kind, attributes = element.tag.removeprefix(_SVG), element.attrib
        if kind in ("metadata", "defs"):
            yield from _invisible(element)
            return
        if kind not in _KNOWN or not attributes.keys() <= _KNOWN[kind]:
            raise UnknownDrawingError(kind)
        matrix = _times(outer, _matrix(attributes.get("transform", "")))
        sizes = (attributes.get(name, "") for name in ("width", "height", "viewBox"))
        role = _TEXT if kind == "text" else ""
        what = (role, kind, str(depth), attributes.get("style", ""), (element.text or "").strip(), *sizes)
        commands, points = _path(attributes.get("d", "")) if kind != "text" else ("", _baseline(attributes))
        yield Shape((*what, commands), _on_page(points, matrix))
        if "clip-path" in attributes:
            yield self._clip(attributes["clip-path"], matrix)
        if kind == "use":
            place = (1.0, 0.0, 0.0, 1.0, _number(attributes.get("x", "0")), _number(attributes.get("y", "0")))
            target = self._target(attributes.get(_HREF, "").removeprefix("#"), "path")
            yield from self.shapes_of(target, _times(matrix, place), depth + 1)
        for child in element:
            yield from self.shapes_of(child, matrix, depth + 1)

    def _target(self, name: str, kind: str) -> Element:
        target = self.defined.get(name)
        if target is None or target.tag != _SVG + kind:
            raise UnknownDrawingError(name)
        return target

    def _clip(self, reference: str, matrix: _Matrix) -> Shape:
        name = _CLIP.fullmatch(reference)
        (rectangle,) = self._target(name[1] if name else reference, "clipPath")
        x, y, width, height = (_number(rectangle.attrib[name]) for name in _RECTANGLE)
        return Shape(_CLIPPED, _on_page((x, y, x + width, y + height), matrix))


def _invisible(element: Element) -> Iterator[Shape]:
    """Yield metadata and style sheets as they are; what else is defined is drawn where it is used."""
    for each in element.iter():
        if each.tag != f"{_SVG}defs" and (element.tag == f"{_SVG}metadata" or each.tag == f"{_SVG}style"):
            attributes = (f"{name}={value}" for name, value in sorted(each.attrib.items()))
            yield Shape((each.tag, (each.text or "").strip(), *attributes))


def _baseline(attributes: Mapping[str, str]) -> tuple[float, ...]:
    """Return where a text is, and a point further along its line, which a rotation moves."""
    x, y = (_number(attributes.get(name, "0")) for name in ("x", "y"))
    return (x, y, x + _BASELINE, y)


def _path(text: str) -> tuple[str, tuple[float, ...]]:
    """Return the commands of a path and its numbers, two for each point."""
    commands: list[str] = []
    numbers: list[float] = []
    end = 0
    for token in _TOKEN.finditer(text):
        if token.start() != end:
            break
        end = token.end()
        if token[1]:
            commands.append(f"{token[1]}{len(numbers)}")
        elif token[2]:
            numbers.append(float(token[2]))
    # Absolute commands only, whose numbers are points.
    if end != len(text) or len(numbers) % 2 or not {name[0] for name in commands} <= set("MLQCz"):
        raise UnknownDrawingError("path")
    return " ".join(commands), tuple(numbers)


def _matrix(text: str) -> _Matrix:
    matrix, end = _IDENTITY, 0
    for part in _TRANSFORM.finditer(text):
        if text[end : part.start()].strip():
            break
        end = part.end()
        matrix = _times(matrix, _step(part[1], [_number(each) for each in part[2].replace(",", " ").split()]))
    if text[end:].strip():
        raise UnknownDrawingError("transform")
    return matrix


def _step(name: str, numbers: list[float]) -> _Matrix:
    match name, numbers:
        case "translate", [x, y]:
            return (1.0, 0.0, 0.0, 1.0, x, y)
        case "translate", [x]:
            return (1.0, 0.0, 0.0, 1.0, x, 0.0)
        case "scale", [x, y]:
            return (x, 0.0, 0.0, y, 0.0, 0.0)
        case "scale", [x]:
            return (x, 0.0, 0.0, x, 0.0, 0.0)
        case "rotate", [degrees]:
            angle = math.radians(degrees)
            return (math.cos(angle), math.sin(angle), -math.sin(angle), math.cos(angle), 0.0, 0.0)
        case "rotate", [degrees, x, y]:
            around = _times((1.0, 0.0, 0.0, 1.0, x, y), _step("rotate", [degrees]))
            return _times(around, (1.0, 0.0, 0.0, 1.0, -x, -y))
        case "matrix", [a, b, c, d, e, f]:
            return (a, b, c, d, e, f)
    raise UnknownDrawingError("transform")


def _times(m: _Matrix, n: _Matrix) -> _Matrix:
    """Return the matrix that applies `n` first, then `m`."""
    return (
        m[0] * n[0] + m[2] * n[1],
        m[1] * n[0] + m[3] * n[1],
        m[0] * n[2] + m[2] * n[3],
        m[1] * n[2] + m[3] * n[3],
        m[0] * n[4] + m[2] * n[5] + m[4],
        m[1] * n[4] + m[3] * n[5] + m[5],
    )


def _on_page(points: tuple[float, ...], m: _Matrix) -> tuple[float, ...]:
    pairs = zip(points[::2], points[1::2], strict=True)
    return tuple(
        value for x, y in pairs for value in (m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5])
    )


def _number(text: str) -> float:
    number = float(text)  # a ValueError for anything else
    if not math.isfinite(number):
        raise UnknownDrawingError(text)
    return number
