"""Committed figures: another matplotlib is accepted, and every other difference is found."""

import re

import matplotlib as mpl
import pytest
from msgspec.structs import replace

from reportgen.document.model import FigureKind
from reportgen.render.figures import digest
from reportgen.render.figures.shapes import UnknownDrawingError, is_same_drawing, shapes_of
from reportgen.render.figures.svg import drawing
from tests.render import example
from tests.render.example import render_report

LINE, BARS = map(example.figure_of, example.figures())


def _draw(padding: float = 0.04167) -> bytes:
    with drawing.settings(), mpl.rc_context({"figure.constrained_layout.w_pad": padding}):
        return drawing.figure_svg(LINE)


_STAMP = re.compile(rb"<!-- reportgen content=(\w+) .*?-->\n")


def _restamped(svg: bytes) -> bytes:
    """Return the figure with a stamp that fits, as a forger would write it."""
    (content,) = _STAMP.findall(svg)
    return digest.stamped(_STAMP.sub(b"", svg), content.decode())


def _as_other_matplotlib(svg: bytes) -> bytes:
    """Return the figure as another matplotlib may write it: other names of clip paths, places as `transform`."""
    svg = re.sub(
        rb'x="([0-9.]+)" y="([0-9.]+)" transform="rotate\(-0 [0-9. ]+\)"',
        rb'transform="translate(\1 \2) rotate(-0)"',
        svg,
    )
    return _restamped(re.sub(rb"(#|id=\")p([0-9a-f]{10})", rb"\1p0\2", svg))


DRAWN = _draw()


def test_the_drawing_of_another_matplotlib_is_kept() -> None:
    other = _as_other_matplotlib(_draw(padding=0.05))  # inches: 0.6 points
    assert other != DRAWN
    assert digest.is_up_to_date(other, DRAWN)
    with drawing.settings():
        assert drawing.up_to_date(LINE, other) == other


def test_other_margins_are_not_other_data_but_far_ones_are() -> None:
    assert is_same_drawing(_draw(padding=0.07), DRAWN)  # 2 points more
    assert not is_same_drawing(_draw(padding=0.20), DRAWN)


def test_a_label_of_a_tick_that_was_moved_is_found() -> None:
    (style, place) = re.findall(rb'<text (style="[^"]*") x="([0-9.]+)" y="[0-9.]+"[^>]*>8</text>', DRAWN)[0]
    moved = DRAWN.replace(
        b'<text %s x="%s"' % (style, place), b'<text %s x="%f"' % (style, float(place) - 5), 1
    )
    assert moved != DRAWN
    assert not is_same_drawing(moved, DRAWN)


def _with_moved_point(svg: bytes, points: float) -> bytes:
    """Return the figure with the last point of its first line of data further down."""
    at = svg.rindex(b'<path d="', 0, svg.index(b"stroke-width: 1.8"))
    end = svg.index(b'"', at + 9)
    line, _, y = svg[at:end].rstrip().rpartition(b" ")
    return b"%s%s %f%s" % (svg[:at], line, float(y) + points, svg[end:])


@pytest.mark.parametrize("points", [-0.5, 0.5, 30])
def test_a_forged_line_with_a_stamp_that_fits_is_drawn_again(points: float) -> None:
    forged = _restamped(_with_moved_point(DRAWN, points))
    assert forged != DRAWN
    assert digest.is_intact(forged)
    assert not digest.is_up_to_date(forged, DRAWN)
    with drawing.settings():
        assert drawing.up_to_date(LINE, forged) == DRAWN


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"</svg>", b"<script>alert(1)</script></svg>"),
        (b"<svg ", b'<svg onload="alert(1)" '),
        (b"</svg>", b'<image href="https://example.org/x.png"/></svg>'),
        (b"</svg>", b"<foreignObject/></svg>"),
        (b"</svg>", b"<text>7</text></svg>"),
        (b"</svg>", b'<path d="M 0 0 L 9 9"/></svg>'),
        (b"</svg>", b'<defs><path id="x"><script>alert(1)</script></path></defs></svg>'),
        (b"</svg>", b'<defs><path id="x" onclick="alert(1)"/></defs></svg>'),
        (b"</svg>", b"<defs><script>alert(1)</script></defs></svg>"),
        (b"</svg>", b"<defs><style>path{display:none}</style></defs></svg>"),
        (b"butt}", b"butt} path{display:none}"),
        (b"<svg ", b'<svg style="display:none" '),
        (b"</metadata>", b"<a xmlns='http://www.w3.org/2000/svg' href='x'/></metadata>"),
        (b"<!-- reportgen", b'<?xml-stylesheet href="https://example.org/x.css"?>\n<!-- reportgen'),
        (b"<!-- reportgen", b"<!-- more -->\n<!-- reportgen"),
        (b"stroke: #0072b2", b"stroke: #d55e00"),
        (b'xlink:href="#', b'xlink:href="https://example.org/#'),
        (b">OneFlow</text>", b">OneFlaw</text>"),
        (b">OneFlow</text>", b"><tspan>OneFlow</tspan></text>"),
        (b"rotate(-0 ", b"rotate(-90 "),
        (b"<text ", b'<text onclick="alert(1)" '),
        (b"Verdana", b"Comic Sans"),
        (b"<title>", b"<title>Not "),
        (b"rotate(", b"skewX(9) rotate("),
        (b'width="432pt"', b'width="51.4pt"'),
        (b"</svg>", b""),
    ],
)
def test_nothing_that_is_not_drawn_is_kept(old: bytes, new: bytes) -> None:
    assert old in DRAWN
    forged = _restamped(DRAWN.replace(old, new, 1))
    assert not digest.is_up_to_date(forged, DRAWN)


def test_a_second_marker_of_the_same_name_is_not_kept() -> None:
    (name, marker), (_, other) = re.findall(rb'<path id="(m\w+)" (d=".*?)/>', DRAWN, re.DOTALL)[:2]
    twice = DRAWN.replace(b"<defs>", b'<defs><path id="%s" %s/>' % (name, other), 1)
    assert not digest.is_up_to_date(_restamped(twice), DRAWN)
    assert not digest.is_up_to_date(_restamped(DRAWN.replace(marker, other, 1)), DRAWN)


def test_entities_are_not_expanded() -> None:
    with pytest.raises(UnknownDrawingError):
        shapes_of(b'<!DOCTYPE svg [<!ENTITY a "b">]>\n<svg xmlns="http://www.w3.org/2000/svg"/>')


@pytest.mark.parametrize("kind", FigureKind)
def test_every_kind_of_figure_can_be_read(kind: FigureKind) -> None:
    with drawing.settings():
        drawn = drawing.figure_svg(replace(BARS, kind=kind))
    assert is_same_drawing(drawn, drawn)


def test_a_forged_figure_is_not_on_the_page() -> None:
    report = example.report()
    files = render_report(report)
    path = next(path for path in files if path.endswith(".svg"))
    forged = _restamped(files[path].replace(b"</svg>", b'<path d="M 0 0 L 9 9"/></svg>'))
    assert render_report(report, lambda name: forged if name == path else None) == files
