"""Prose takes its numbers from the tables, and says where it is wrong."""

import json
import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from msgspec import structs

from reportgen.core.errors import RequestError
from reportgen.core.model import Case, Factors, FactorValue, Source
from reportgen.core.rules import Rule
from reportgen.document.model import Header, Label, Note
from reportgen.render import headline_text, render_document, render_index
from reportgen.render.prose.numbers import ProseNumber, as_read, marked, text_notes
from reportgen.render.prose.template import Prose, fill_headline, fill_prose
from reportgen.render.prose.to_html import prose_html
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.results import Cell, Report, Table
from tests.builders import published_run, table_spec
from tests.each_of import each_of, each_row
from tests.render import example
from tests.render.example import document_of, render_report

AT_8 = 'row={"devices": 8}, column={"framework": "OneFlow"}'


def _report(text: str, line: int = 1) -> Report:
    return example.report(prose=text, prose_source=Source("reports/resnet50.md", line))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (f'value("fp32-b128", {AT_8})', "3,124"),
        (f'value("fp32-b128", {AT_8}, digits=6)', "3,124.25"),
        (f'value("fp32-b128", {AT_8}, unit=true)', "3,124 images/s"),
        (f'value("fp32-b128", {AT_8}, quantity="speedup")', "7.86"),
        ('value("fp32-b128", row={"devices": "8"}, column={"framework": "OneFlow"})', "3,124"),
        ('value("phases/DARNN", column={"phase": "forward", "device": "GPU"}, unit=true)', "456 µs"),
        (f'ratio("fp32-b128", {AT_8}, to_row={{"devices": 1}})', "7.86"),
        (
            'ratio("fp32-b128", row={"devices": 1}, column={"framework": "OneFlow"},'
            ' to_column={"framework": "NGC PyTorch"}, digits=4)',
            "1.009",  # 397.6 / 394.0
        ),
        ('expected("V100-LS", "A40")', "0.621"),
    ],
)
def test_functions_return_the_number_of_the_table(expression: str, expected: str) -> None:
    assert fill_prose(document_of(_report(f"{{{{ {expression} }}}}"))).text == expected


@each_row(
    [
        ('a\nb {{ table("fp32-b12") }}', ':2: no table "fp32-b12"; did you mean "fp32-b128"?'),
        ('{{ figure("speed") }}', ':1: no figure "speed"; did you mean "speedup"?'),
        ('\n\n{{ tabel("x") }}', ':3: no function "tabel"; did you mean "table"?'),
        (
            '{{ value("fp32-b128", row={"device": 8}) }}',
            ':1: table "fp32-b128": no row factor "device"; did you mean "devices"?',
        ),
        (
            '{{ value("fp32-b128", row={"devices": 8}) }}',
            ':1: table "fp32-b128": 2 cells match (devices=8); candidates: '
            "(nodes=1, devices=8, framework=OneFlow), (nodes=1, devices=8, framework=NGC PyTorch)",
        ),
        ('{{ value("fp32-b128", row={"devices": 9}) }}', "no cells match (devices=9); candidates: "),
        (
            '{{ value("fp32-b128", row={"devices": 8}, column={"framework": "NGC PyTorch"}) }}',
            'shows "out of memory", not a number; choose another cell',
        ),
        ('{{ expected("V100-LS", "A4") }}', 'no expected speed of "V100-LS" relative to "A4"; did you mean'),
        ("a\n{% if %}", ":2: template: "),
        ("a\n{% if 1 %}b{% endif %}", ':2: template: "if" is not allowed in a text'),
        ("{{ 1 / 0 }}", ':1: template: "div" is not allowed in a text'),
        ("{{ ''.__class__.__mro__ }}", ':1: template: "getattr" is not allowed in a text'),
        ("{{ ''['x'] }}", ':1: template: "getitem" is not allowed in a text'),
        ("a\n{{ 'x'.join('y') }}", ":2: template: only best, environment, expected, figure, "),
        ("{{ value(*[1]) }}", ":1: template: only best, environment, expected, figure, "),
        ("{{ table.x }}", ':1: template: "getattr" is not allowed in a text'),
        ("a\n{{ self }}", ':2: "self" has no value'),
        ("{{ value }}", ':1: "value" has no value; call it with parentheses'),
        ("{{ tabel }}", ':1: "tabel" has no value; did you mean "table"?'),
        ('\n{{ value("fp32-b128", rows={}) }}', ':2: value() has no argument "rows"; did you mean "row"?'),
        ('{{ value("fp32-b128", row=8) }}', ':1: row = 8 names no factor; write row={"factor": value}'),
        ('{{ value("fp32-b128", row=["x"]) }}', ":1: row = ['x'] names no factor"),
        (
            '{{ value("fp32-b128", row={"devices": [8]}) }}',
            ':1: row: "devices" is neither a text nor a number',
        ),
        ('{{ table(["t"]) }}', """:1: table ['t'] is not a name; write it in quotes"""),
        ("{{ table() }}", ':1: table() is called with too few or too many arguments; write table("id")'),
        ('{{ figure("a", "b") }}', ":1: figure() is called with too few or too many arguments"),
        ('{{ value("fp32-b128", quantity="speed") }}', 'shows no "speed"; did you mean "speedup"?'),
        (f'{{{{ value("fp32-b128", {AT_8}, digits=1000000) }}}}', "digits = 1000000; give a whole number"),
        (f'{{{{ value("fp32-b128", {AT_8}, unit="ms") }}}}', "unit = 'ms' is neither true nor false"),
        ('{{ expected("V100-LS") }}', ":1: reference '' is not a name"),
        (
            '{{ value("phases/DARNN", column={"phase": "backward", "device": "GPU"}) }}',
            'shows "several", not a number: batch_size varies (16, 32): add it to `where`, `rows` or '
            "`columns`; select one case in the table with `where` or `pick`",
        ),
        ("a\n{% macro f() %}{{ f() }}{% endmacro %}", ':2: template: "macro" is not allowed in a text'),
        ("{% set s = 'x' %}", ':1: template: "assign" is not allowed in a text'),
        ("{{ 'x' * 10 ** 9 }}", ':1: template: "mul" is not allowed in a text'),
        ("{{ [1] | join }}", ':1: template: "filter" is not allowed in a text'),
        ("{{ {[1]: 2} }}", ":1: template: a key is a text or a number"),
        ("{% for a in [1] recursive %}{% endfor %}", ":1: template: a loop has the form {% for name in "),
        ("{% for a in 'xy' %}{% endfor %}", ":1: template: a loop has the form {% for name in "),
        ("{% for a, b in ['xy'] %}{% endfor %}", ":1: template: a loop has one variable"),
        ("{% for table in ['x'] %}{{ table('y') }}{% endfor %}", ":1: template: a loop has one variable"),
        (
            "a\n{% for a in ['x'] %}\n{% for b in ['y'] %}{% endfor %}{% endfor %}",
            ":3: template: loops cannot be nested",
        ),
        (
            "{% for i in ["
            + "1," * 9999
            + "] %}{{ expected('V100-LS', 'A40') }} {{ findings() }}{{ table('fp32-b128') }}"
            "{% endfor %}",
            ":1: the text calls functions more than 20,000 times",
        ),
        (
            "{% for i in [" + "1," * 9999 + "] %}" + "x" * 999 + "{% endfor %}",
            ":1: template: the text exceeds 4 MiB",
        ),
        ("{{ " + "(" * 9999 + "1" + ")" * 9999 + " }}", ":1: template: an expression is nested too deeply"),
    ]
)
def test_a_mistake_is_an_error_with_line_and_remedy(text: str, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        render_report(_report(text))
    assert str(caught.value).startswith("reports/resnet50.md")
    assert message in str(caught.value)


def test_lines_count_from_where_the_prose_begins_in_its_file() -> None:
    with pytest.raises(RequestError, match=r"reports/resnet50\.md:12: no table"):
        render_report(_report('a\n\n{{ table("x") }}', line=10))


def test_a_block_that_the_text_places_is_not_repeated() -> None:
    readme = render_report(_report('{{ table("fp32-b128") }}\n\n{{ findings() }}'))["README.md"].decode()
    assert readme.count("| Nodes |") == 1
    assert "## FP32, batch size 128 per device" not in readme
    assert "## Findings" not in readme
    assert readme.count("`protocol.gap`") == 1


def test_reserved_characters_typed_by_an_author_are_removed() -> None:
    assert fill_prose(document_of(_report("a\ue0000\ue001b"))).text == "ab"


def test_html_of_prose_is_text_in_the_page() -> None:
    text = "`<b>x</b>` [a](javascript:b)\n\n```\n<script>c</script>\n```\n"
    page = render_report(_report(text))["index.html"].decode()
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert "&lt;script&gt;" in page
    assert "javascript:b" not in page
    assert "<script" not in prose_html("<script>")


_HTML_REMEDY = "write Markdown, or put it between backticks"


@each_row(
    [
        ("a\n\n<!--", f':3: contains HTML: "<!--"; {_HTML_REMEDY}'),
        ("<details>", f':1: contains HTML: "<details>"; {_HTML_REMEDY}'),
        ("a <details open>", ':1: contains HTML: "<details"; '),
        ("<STYLE>", ':1: contains HTML: "<STYLE>"; '),
        ("</details>", ':1: contains HTML: "</details>"; '),
        ("<?php", ':1: contains HTML: "<?php"; '),
        ("<![CDATA[", ':1: contains HTML: "<![CDATA["; '),
        ("- a\n  <table hidden>", ':2: contains HTML: "<table"; '),
        ("> <!--", ':1: contains HTML: "<!--"; '),
        ('{{ "x" ~ "<" }}!-- a', ':1: contains HTML: "<!--"; '),
        ("\\`<!-- `", ':1: contains HTML: "<!--"; '),
        ("a ` b\n` <details> ` c", ':2: contains HTML: "<details>"; '),
        ("``` `\n<details>", ':2: contains HTML: "<details>"; '),
        ("- a\n  ```\n<details>\n```\n", ':3: contains HTML: "<details>"; '),
        ("a\n\n```\nb", ":3: the code block is never closed; add ``` below it"),
        ("~~~~\n~~~\n````", ":1: the code block is never closed; add ~~~~ below it"),
        (
            '```\n{{ table("fp32-b128") }}\n```',
            ": a table or figure is in a code block; move it out of the block",
        ),
        ("a\x1b[8m", ":1: contains the control character U+001B; delete it"),
        ("\x00", ":1: contains the control character U+0000; delete it"),
        ("1\u202e2", ":1: contains the control character U+202E; delete it"),
    ]
)
def test_prose_cannot_hide_what_follows_it(text: str, message: str) -> None:
    with pytest.raises(RequestError) as error:
        fill_prose(document_of(_report(text)))
    assert message in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "2 < 3 and 4<5, a <- b, `<details>` and ``a ` <b>``",
        "<https://example.org/a> and <a.b@example.org>",
        "\\<details>",
        "```html\n<details>\n```\n\n~~~\n```\n~~~",
        "a ` b\n\n`<b>`",
        "a\tb",
    ],
)
def test_prose_may_show_html_as_code_and_links(text: str) -> None:
    assert fill_prose(document_of(_report(text))).text == text


def test_a_ratio_to_a_cell_that_is_zero_is_a_mistake() -> None:
    table = example.phase_table()
    zero = replace(table, cells=((replace(table.cells[0][0], value=0.0), *table.cells[0][1:]),))
    text = '{{ ratio("phases/DARNN", column={"phase": "forward", "device": "GPU"}, to_column={"device": "CPU"}) }}'
    with pytest.raises(RequestError, match=r":1: table .* divides by a cell that is 0"):
        fill_prose(document_of(replace(_report(text), tables=(zero,))))


def test_a_ratio_of_cells_that_cannot_be_compared_is_a_mistake() -> None:
    table = example.throughput_table()
    text = '{{ ratio("fp32-b128", row={"devices": 1, "nodes": 1}, column={"framework": "OneFlow"}, ' \
        'to_column={"framework": "NGC PyTorch"}) }}'  # fmt: skip
    below = table.cells[0][2]
    assert below.case is not None

    def filled(case: Case) -> str:
        row = (*table.cells[0][:2], replace(below, case=case), *table.cells[0][3:])
        return fill_prose(
            document_of(replace(_report(text), tables=(replace(table, cells=(row, *table.cells[1:])),)))
        ).text

    assert filled(below.case) == "1.01"
    with pytest.raises(RequestError, match="the ratio divides throughput by step_time; choose cells that"):
        filled(replace(below.case, metric="step_time"))
    published = tuple(structs.replace(each, evidence="published") for each in below.case.measurements)
    with pytest.raises(RequestError, match=r"cells differ in evidence \(measured; already reduced"):
        filled(replace(below.case, measurements=published))


def _ratio(above: Case, below: Case, arguments: str = "") -> Prose:
    """Return the ratio of two cells with these cases, in a table by framework."""
    table = example.throughput_table()
    row = (
        replace(table.cells[0][0], case=above),
        table.cells[0][1],
        replace(table.cells[0][2], case=below),
        *table.cells[0][3:],
    )
    text = (
        'x {{ ratio("fp32-b128", row={"devices": 1, "nodes": 1}, column={"framework": "OneFlow"}, '
        'to_column={"framework": "NGC PyTorch"}' + arguments + ") }}x"
    )
    return fill_prose(
        document_of(replace(_report(text), tables=(replace(table, cells=(row, *table.cells[1:])),)))
    )


def _case(
    framework: str,
    environment: Factors | None = None,
    run_factors: Factors | None = None,
    **factors: FactorValue,
) -> Case:
    """Return a case of one run without findings."""
    own = {"framework": framework, "devices": 1, "nodes": 1, **factors}
    case = example.case(100.0, own, repeats=1)
    (only,) = case.measurements
    run = replace(only.run, environment=environment or {}, factors={**own, **(run_factors or {})})
    return replace(case, measurements=(structs.replace(only, run=run, findings=()),))


def test_a_ratio_refuses_a_factor_that_the_table_does_not_name_unless_it_is_accepted() -> None:
    above, below = _case("OneFlow", batch_size=256), _case("NGC PyTorch", batch_size=32)
    with pytest.raises(
        RequestError, match=r"cells differ in batch_size \(256; 32\); choose cells .* accept="
    ):
        _ratio(above, below)
    with pytest.raises(RequestError, match="batch_size"):
        _ratio(above, below, ', accept=["xla"]')
    (number,) = _ratio(above, below, ', accept=["batch_size"]').numbers
    assert [note.text for note in number.notes] == ["the two sides differ in batch_size (256; 32)"]
    with pytest.raises(RequestError, match="accept = 'batch_size' is not a list of names"):
        _ratio(above, below, ', accept="batch_size"')


def test_a_ratio_names_drivers_and_ignored_factors_that_differ() -> None:
    above = _case("OneFlow", {"driver": "550"}, {"host": "a"})
    below = _case("NGC PyTorch", {"driver": "470"}, {"host": "b"})
    (number,) = _ratio(above, below).numbers
    assert [(note.mark, note.text) for note in number.notes] == [
        ("differs", "the two sides differ in driver (550; 470), host (a; b)")
    ]
    assert _ratio(_case("OneFlow"), _case("NGC PyTorch")).numbers[0].notes == ()


def test_a_ratio_refuses_totals_of_other_phases() -> None:
    above = replace(_case("OneFlow"), parts=("forward",))
    below = replace(_case("NGC PyTorch"), parts=("forward", "backward"))
    with pytest.raises(RequestError, match=r"step is forward here, but forward \+ backward below"):
        _ratio(above, below)


def test_a_number_has_the_link_and_the_notes_of_its_cell_on_both_pages() -> None:
    text = (
        f'{{{{ value("fp32-b128", {AT_8}) }}}} of `{{{{ value("fp32-b128", {AT_8}) }}}}` and '
        f'[{{{{ value("fp32-b128", {AT_8}) }}}}](https://example.org/{{{{ value("fp32-b128", {AT_8}) }}}}), '
        'not {{ value("fp32-b128", row={"devices": 1}, column={"framework": "NGC PyTorch"}) }}.'
    )
    table, case = example.throughput_table(), _case("NGC PyTorch")
    steady = tuple(
        replace(cell, case=case) if cell.case and cell.value == 394.0 else cell for cell in table.cells[0]
    )
    report = _report(text)
    others = report.tables[1:]
    assert report.tables[0].id == table.id
    files = render_report(replace(report, tables=(replace(table, cells=(steady, *table.cells[1:])), *others)))
    gap = '<a href="#case-05c5b3c3">3,124</a><sup>[<a href="#text-note-1">1</a>]</sup>'
    page, readme = files["index.html"].decode(), files["README.md"].decode()
    # A link is in no other link.
    assert (
        f'<p>{gap} of <code>{gap}</code> and <a href="https://example.org/3,124">3,124</a>, '
        'not <a href="#case-' in page
    )
    assert '<li id="text-note-1">2.5 s left out of the window (1 of 3 repeats: r2).</li>' in page
    assert (
        "\n3,124<sup>gap</sup> of `3,124` and [3,124<sup>gap</sup>](https://example.org/3,124), not 394.0"
        in readme
    )
    assert (
        "Notes on the numbers in the text:\n\n- gap: 2.5 s left out of the window (1 of 3 repeats: r2).\n"
        in readme
    )


def test_a_note_on_every_number_is_given_once() -> None:
    number = f'{{{{ value("fp32-b128", {AT_8}) }}}}'
    files = render_report(_report(f"{number}x and {number}% and {{{{ expected('V100-LS', 'A40') }}}}"))
    assert (
        "\n3,124x and 3,124% and 0.621\n\nNotes on the numbers in the text:\n\n- gap (every number): 2.5 s"
        in (files["README.md"].decode())
    )
    page = files["index.html"].decode()
    assert (
        '<p><a href="#case-05c5b3c3">3,124</a>x and <a href="#case-05c5b3c3">3,124</a>% and 0.621</p>' in page
    )
    assert "Every number: 2.5 s left out of the window (1 of 3 repeats: r2)." in page


def test_different_texts_of_one_rule_are_one_note() -> None:
    notes = [Note(f"{seconds} s left out", Rule.PROTOCOL_GAP) for seconds in (1, 2)]
    (note,) = text_notes([ProseNumber((), (each,)) for each in notes])
    assert note.mark == "gap"
    assert note.text == f"{Rule.PROTOCOL_GAP.summary} Details are in the evidence of each number."


def test_a_unit_cannot_end_a_number_early() -> None:
    assert as_read(marked(0, "1 \ue003images\ue0021\ue004/s")) == "1 images1/s"


def test_placed_blocks_have_one_blank_line_around_them() -> None:
    text = 'a\n\n{{ table("fp32-b128") }}\n\n\n{{ figure("speedup") }}\nb {{ findings() }} c'
    readme = render_report(_report(text))["README.md"].decode()
    assert "\n\n\n" not in readme
    assert "\n\nb\n\nBy rule." in readme
    assert "\n\nc\n\n" in readme


def test_an_answer_alone_on_its_line_is_joined_to_its_sentence() -> None:
    value = f'{{{{ value("fp32-b128", {AT_8}) }}}}'
    text = f"reaches\n{value} and\nmore, with\n{value}.\n\n{value}\n\n- one:\n  {value}\n- two\n"
    expected = "reaches 3,124 and more, with 3,124.\n\n3,124\n\n- one: 3,124\n- two\n"
    assert fill_prose(document_of(_report(text))).text == expected
    kept = f"```\na\n{value}\n```\n| a |\n| - |\n| {value} |\n# head\n{value}\n"
    assert fill_prose(document_of(_report(kept))).text == kept.replace(value, "3,124")


def test_a_loop_repeats_its_lines_for_each_name() -> None:
    text = '{% for n in [1, 8] %}\n{{ value("fp32-b128", row={"devices": n}, column={"framework": "One" ~ "Flow"}) }}\n{% endfor %}'
    assert fill_prose(document_of(_report(text))).text.split() == ["397.6", "3,124"]


def test_several_expected_speeds_of_one_pair_are_an_error() -> None:
    of_eight = example.expected()
    of_one = structs.replace(
        of_eight, speed=0.7, paths=((structs.replace(of_eight.paths[0][0], where=(("devices", (1,)),)),),)
    )
    with pytest.raises(RequestError) as error:
        fill_prose(
            document_of(replace(_report('{{ expected("V100-LS", "A40") }}'), expected=(of_eight, of_one)))
        )
    assert str(error.value).endswith(
        'several expected speeds of "V100-LS" relative to "A40": devices = 4 or 8, precision = fp32, '
        'xla = false; devices = 1; name a cell: value("table", ..., quantity="expected")'
    )


def test_a_text_can_place_the_expected_speeds() -> None:
    files = render_report(_report("## Hardware\n\n{{ expected() }}\n"))
    readme = files["README.md"].decode()
    assert "## Hardware\n\n- **V100-LS: 0.6211x the speed of A40 (" in readme
    assert "## Expected speed" not in readme
    page = files["index.html"].decode()
    assert page.count("V100-LS: 0.6211x the speed of A40") == 1
    assert '<h2 id="expected">' not in page


HEADLINE = {"headline_place": "reports/resnet50.toml: headline"}


def test_a_headline_of_the_author_has_its_numbers_filled_in_on_every_page() -> None:
    text = f'{{{{ value("fp32-b128", {AT_8}) }}}} images/s\non 8 <devices>'
    report = example.report(headline=text, **HEADLINE)
    document = document_of(report)
    document = structs.replace(document, headline=headline_text(document))
    files = render_document(document, {})
    readme, page = files["README.md"].decode(), files["index.html"].decode()
    assert "\n**3,124<sup>gap</sup> images/s on 8 &lt;devices&gt;**\n\n- gap: 2.5 s left out" in readme
    assert (
        '<p class="headline"><a href="#case-05c5b3c3">3,124</a><sup>[<a href="#headline-note-1">1</a>]</sup> '
        "images/s on 8 &lt;devices&gt;</p>" in page
    )
    assert '<li id="headline-note-1">2.5 s left out of the window (1 of 3 repeats: r2).</li>' in page
    assert json.loads(files["report.json"])["headline"] == "3,124 images/s on 8 <devices>"
    assert (
        "| 3,124 images/s on 8 &lt;devices&gt; One case"
        in render_index([document_of(report)])["README.md"].decode()
    )


def test_a_headline_of_the_program_is_not_a_template() -> None:
    text = "{{ 1 }} is slower than A40"
    assert fill_headline(document_of(example.report(headline=text))).text == text
    assert fill_headline(document_of(example.report(headline="a \ue0020\ue004b\ue003 c"))).marked == "a 0b c"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{{ value("x") }}', 'no table "x"; known: fp32-b128, phases/DARNN'),
        ('{{ table("fp32-b128") }}', "contains a table, figure or section; use numbers only"),
        ("{{ 1", "template: unexpected end of template, expected 'end of print statement'"),
    ],
)
def test_a_mistake_in_a_headline_names_its_definition(text: str, message: str) -> None:
    with pytest.raises(RequestError) as error:
        render_report(example.report(headline=text, **HEADLINE))
    assert str(error.value).startswith("reports/resnet50.toml: headline: ")
    assert message in str(error.value)


@each_of(
    [
        "Text\n- a\n- b\n\nafter",
        "Text\n1. a\n2. b",
        "1) a\n2) b",
        "- a\n  - b\n    - c\n- d",
        "1. a\n   - b\n2. c",
        "1. a\n\n   more\n   text\n2. b",
        "- a\n  more\n- b\nlazy\n  - c\n    more\n\n    para",
        "- a\n  | x | y |\n  |---|---|\n  | 1 | 2 |\n  | 3 | 4 |\n- b",
        "- a\n\n  ```\n  code\n    - x\n  ```\n- b",
        "- a\n# head\n- b",
        "- a\n\ntext\n- b",
        "Text\n```\n- code\n```\nafter",
        "Text\n| a | b |\n|---|--:|\n| 1 | 2 |",
        "text\n\n    code\n\ntext",
        "a - b\n---\n- [c](d.md)",
    ]
)
def test_a_text_has_the_same_structure_on_github_and_in_the_page(text: str) -> None:
    github = MarkdownIt("commonmark").enable("table").render(text)
    assert _tags(prose_html(text)) == _tags(github)


def _tags(html: str) -> list[str]:
    """Return tags and words; whether the items of a list are paragraphs makes no difference."""
    return re.findall(r"</?(?!p>)[a-z][a-z0-9]*|[\w.-]+(?![^<]*>)", html.replace("<br />", "<br>"))


def test_a_block_inside_a_paragraph_is_between_two_paragraphs() -> None:
    assert prose_html("a \ue0000\ue001 b") == "<p>a</p>\n\ue0000\ue001\n<p>b</p>"


def _framework_table(**b: object) -> Table:
    """Return throughputs of three frameworks at 8 devices: A is slow, B and C are fast, D failed."""
    factors = {name: {"framework": name, "devices": 8} for name in "ABCD"}
    cells = (
        example.number(example.case(100.0, factors["A"])),
        example.number(example.case(300.0, factors["B"] | b)),
        example.number(example.case(200.0, factors["C"])),
        Cell("status", text="out of memory"),
    )
    return replace(
        example.throughput_table(),
        id="t",
        row_factors=("devices",),
        row_titles=(Label("devices"),),
        rows=(Header((8,), (Label("8"),)),),
        column_factors=("framework",),
        columns=tuple(Header((name,), (Label(f"<{name}>"),)) for name in "ABCD"),
        cells=(cells,),
        notes={},
    )


def _best(table: Table, call: str) -> Prose:
    return fill_prose(document_of(example.report(tables=(table,), figures=(), prose=f"{{{{ {call} }}}}")))


def test_best_names_the_best_cell_and_those_that_have_no_number() -> None:
    prose = _best(_framework_table(), 'best("t", row={"devices": 8})')
    assert prose.text == "&lt;B&gt;"
    notes = [note.text for number in prose.numbers for note in number.notes]
    assert "not compared, without a number: <D>" in notes
    assert prose.numbers[0].cases[0].factors["framework"] == "B"
    assert _best(_framework_table(), 'best("t", number=true, digits=2)').text == "300"


def test_a_name_from_a_log_is_text_on_both_pages() -> None:
    table = _framework_table()
    names = ("<b>A</b>", "# [x](javascript:y) *z* a|b ~c~", "C", "D")
    columns = tuple(Header((n,), (Label(n),)) for n in names)
    report = example.report(
        tables=(replace(table, columns=columns),), figures=(), prose='{{ best("t") }} is fast', headline=""
    )
    files = render_report(report)
    page, readme = files["index.html"].decode(), files["README.md"].decode()
    shown = re.search(r"<p>(<a href=.#case.*is fast)</p>", page, re.DOTALL)
    assert shown
    assert "># [x](javascript:y) *z* a|b ~c~</a>" in shown[1]
    rendered = MarkdownIt("commonmark").enable("strikethrough").render(readme)
    assert "# [x](javascript:y) *z* a|b ~c~" in rendered
    assert 'javascript:y"' not in page + rendered


def test_best_names_several_whose_repeats_overlap() -> None:
    table = _framework_table()
    cells = list(table.cells[0])
    cells[1:3] = [
        example.number(example.case(value, {"framework": name, "devices": 8}))
        for name, value in (("B", 300.0), ("C", 299.99))
    ]
    assert _best(replace(table, cells=(tuple(cells),)), 'best("t")').text == "&lt;B&gt; or &lt;C&gt;"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ('best("t")', "the cells differ in batch_size (64; -); choose cells that were measured alike"),
        ('best("t", column={"framework": "A"})', "best() compares cells, and 1 cell has a number"),
        ('best("t", column={"framework": "E"})', "no cells match (framework=E); candidates:"),
        ('best("t", number=1)', "number = 1 is neither true nor false"),
        ('best("t", quantity="ratio")', 'shows no "ratio"'),
    ],
)
def test_best_compares_like_with_like(call: str, message: str) -> None:
    accept = ', accept=["batch_size"]' if "number" in call else ""
    with pytest.raises(RequestError) as caught:
        _best(_framework_table(batch_size=64), call[:-1] + accept + ")")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("row", "column", "name"),
    [("{}", '{"phase": "forward"}', "batch_size"), ('{"batch_size": 8}', "{}", "phase")],
)
def test_the_shortest_time_of_other_work_is_not_the_best(row: str, column: str, name: str) -> None:
    runs = [published_run(batch_size=b, values={"forward": b / 100, "backward": b / 50}) for b in (8, 64)]
    columns = {"columns": ("phase",), "phases": ("forward", "backward"), "metrics": ("step_time",)}
    (table,) = build_tables(table_spec(rows=("batch_size",), **columns), runs, NO_FACTS)
    call = f'best("t", row={row}, column={column}'
    with pytest.raises(RequestError, match=f"the cells did other work: they differ in {name};"):
        _best(table, f"{call})")
    assert _best(table, f'{call}, accept=["{name}"])').text == {"phase": "forward"}.get(name, "8")


def test_best_says_what_the_author_accepts() -> None:
    prose = _best(_framework_table(batch_size=64), 'best("t", accept=["batch_size"])')
    assert prose.text == "&lt;B&gt;"
    assert "the compared cases differ in batch_size" in [n.text for x in prose.numbers for n in x.notes]
