"""Definitions: the fields of a valid one, and the error of each invalid one."""

from pathlib import Path

import pytest

from reportgen.core.errors import RequestError
from reportgen.core.factors import Presence
from reportgen.protocol import Protocol
from reportgen.report.computed_facts import compute_facts, expect_logs
from reportgen.report.definition import ReportDefinition, below, inside, read_definition
from reportgen.report.log_reader import LogReader
from reportgen.report.settings import read_settings
from reportgen.tables.expected import SpeedFact
from reportgen.tables.spec import CompareSpec

TABLE = '[[tables]]\nid = "t"\nrows = ["devices"]\n'


def read(tmp_path: Path, text: str) -> ReportDefinition:
    path = tmp_path / "x.toml"
    path.write_text(text)
    return read_definition(path, "reports/x.toml", "x", {"long": Protocol("long", 200, 1000, 7)})


def test_a_definition_says_what_is_compared(tmp_path):
    found = read(
        tmp_path,
        """
title = "X"
logs = ["logs/a", "logs/b/../c"]
body = "x.md"
protocol = "10+50x5"

[[tables]]
id = "t"
where = { devices = 8, model = ["a", "b"] }
metric = "step_time"
phase = ["forward", "compute"]
totals = { compute = ["forward", "backward"] }
rows = ["devices"]
columns = ["phase"]
qualify = { batch_size = 128 }
compare = { kind = "speedup", baseline = { devices = 1 } }
planned = [{ devices = 16, phase = "forward" }]

[[tables]]
id = "u"
rows = "devices"
protocol = "long"
qualify = ["xla"]

[[figures]]
id = "f"
kind = "line"
table = "t"
x = "devices"
ideal = true
""",
    )
    t, u = found.tables
    assert (found.logs, found.body) == (("logs/a", "logs/c"), "reports/x.md")
    assert t.where == {"devices": (8,), "model": ("a", "b")}
    assert t.compare == CompareSpec("speedup", {"devices": 1})
    assert t.show == ("value", "speedup")
    assert (t.protocol.warmup, t.protocol.measure, t.protocol.repeats) == (10, 50, 5)
    assert (u.protocol.name, u.rows, u.metrics, u.phases) == (
        "long",
        ("devices",),
        ("throughput",),
        ("step",),
    )
    assert (t.qualify, u.qualify) == ({"batch_size": 128}, {"xla": None})
    assert found.figures[0].show == "speedup"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = ", "reports/x.toml: not valid TOML: invalid value (at end of document)"),
        (
            TABLE + 'ignore = ["devices"]',
            'reports/x.toml:1: tables.t.ignore: "devices" is shown and ignored; remove it from ignore, or from rows and columns',
        ),
        (
            TABLE + 'pick = { batch_size = "largest" }\nignore = ["batch_size"]',
            'reports/x.toml:1: tables.t.ignore: "batch_size" is picked and ignored; remove it from ignore: pick '
            "chooses one value",
        ),
        (
            TABLE + 'missing = "1,412.7"',
            'reports/x.toml:1: tables.t.missing: "1,412.7" contains a digit; use words, for example "not run"',
        ),
        ('titel = "X"', 'reports/x.toml: titel: no such key; did you mean "title"?'),
        ("", "reports/x.toml: neither tables nor a body: an empty report; add [[tables]]"),
        ('title = "X"', "reports/x.toml: neither tables nor a body: an empty report; add [[tables]]"),
        ("title = 3", "reports/x.toml: title: expected a string, got 3"),
        ("protocol = 20", 'reports/x.toml: protocol: expected a string, got 20; write protocol = "20+100x7"'),
        (
            TABLE + 'compare = "speedup"',
            'reports/x.toml:1: tables.t.compare: expected a table, got "speedup"; write compare = { kind = "efficiency", '
            "baseline = { name = value } }",
        ),
        ("logs = [3]", "reports/x.toml: logs[0]: expected a string, got 3"),
        (
            'logs = ["../x"]',
            'reports/x.toml: logs[0]: "../x" leads out of the repository; name a path below its root',
        ),
        (
            'logs = ["/etc"]',
            'reports/x.toml: logs[0]: "/etc" is an absolute path; name a path below the repository\'s root',
        ),
        (
            'body = "../../x.md"',
            'reports/x.toml: body: "reports/../../x.md" leads out of the repository; name a path below its root',
        ),
        ('protocol = "lang"', "reports/x.toml: protocol: "),
        ('[[tables]]\nrows = ["a"]', 'reports/x.toml:1: tables[0].id: missing; add id = "..."'),
        (
            '[[tables]]\nid = "a/b"\nrows = ["a"]',
            'reports/x.toml:1: tables[0].id: "a/b" cannot be a file name; use letters, digits, - _ and .',
        ),
        ('[[tables]]\nid = "t"', 'reports/x.toml:1: tables.t: neither rows nor columns; add rows = ["..."]'),
        (TABLE + "row = 1", 'reports/x.toml:1: tables.t.row: no such key; did you mean "rows"?'),
        (
            TABLE + TABLE,
            'reports/x.toml:4: tables.t.id: "t" is already the id of reports/x.toml:1: tables.t; choose another',
        ),
        (
            TABLE + 'columns = ["devices"]',
            'reports/x.toml:1: tables.t: "devices" is named twice in rows, columns and facets; keep it in one of them',
        ),
        (
            TABLE + "digits = 0",
            "reports/x.toml:1: tables.t.digits: 0 is out of range; use a number at least 1 and at most 12",
        ),
        (
            TABLE + "decimals = -1",
            "reports/x.toml:1: tables.t.decimals: -1 is out of range; use a number at least 0 and at most 12",
        ),
        ("a = " + "[" * 5000, "reports/x.toml: not valid TOML: "),
        ("a = " + "1" * 5000, "reports/x.toml: not valid TOML: an integer of thousands of digits"),
        (TABLE + f"digits = {2**63}", "reports/x.toml:1: tables.t.digits: an integer of more than 64 bits"),
        (
            TABLE + f"where.a = [{10**400}]",
            "reports/x.toml:1: tables.t.where.a[0]: an integer of more than 64",
        ),
        ('protocol = "lnog"', 'reports/x.toml: protocol: no protocol "lnog"; did you mean "long"?'),
        (TABLE + "interval = 1", "reports/x.toml:1: tables.t.interval: expected true or false, got 1"),
        (
            TABLE + "where = { a = [] }",
            "reports/x.toml:1: tables.t.where.a: an empty list; name at least one value",
        ),
        (
            TABLE + "where = { a = { b = 1 } }",
            "reports/x.toml:1: tables.t.where.a.b: no such key; known: absent, present",
        ),
        (
            TABLE + 'compare = { kind = "speedup" }',
            "reports/x.toml:1: tables.t.compare.baseline: missing; add baseline = { name = value }",
        ),
        (
            TABLE + 'compare = { kind = "sped", baseline = { a = 1 } }',
            'reports/x.toml:1: tables.t.compare.kind: "sped" is not known; did you mean "speedup"?',
        ),
        (
            TABLE + 'show = ["speedup"]',
            'reports/x.toml:1: tables.t.show[0]: this table cannot show "speedup"; it can show value, repeats',
        ),
        (TABLE + 'pick = { a = "biggest" }', 'reports/x.toml:1: tables.t.pick.a: "biggest" is not known; '),
        (TABLE + "planned = [{ x = 1 }]", "reports/x.toml:1: tables.t.planned[0]: lacks devices"),
        (
            TABLE + '[[figures]]\nid = "f"\nkind = "pie"\ntable = "t"',
            'reports/x.toml:4: figures.f.kind: "pie" is not known; ',
        ),
        (
            TABLE + '[[figures]]\nid = "f"\nkind = "bar"\ntable = "tt"',
            'reports/x.toml:4: figures.f.table: no table "tt"; did you mean "t"?',
        ),
    ],
)
def test_wrong_definitions_say_where_what_and_what_to_do(tmp_path, text, message):
    with pytest.raises(RequestError) as error:
        read(tmp_path, text)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('# x\n\n  [[ tables ]]\nid = "b"\nrow = 1', "reports/x.toml:3: tables.b.row"),
        ('tables = [{ id = "t", row = 1 }]', "reports/x.toml: tables[0].row"),
        ('title = """\n[[tables]]\n"""\n[[tables]]\nid = "t"\nrow = 1', "reports/x.toml: tables[0].row"),
        ('title = "a" "', "reports/x.toml"),
        (TABLE + 'like = "reports/x.toml: zoo[3]"', "reports/x.toml:1: tables.t.like"),
        (TABLE + f'like = "reports/x.toml: tables[{10**30}]"', "reports/x.toml:1: tables.t.like"),
    ],
)
def test_an_entry_is_named_by_its_line_and_id_where_these_are_sure(tmp_path, text, place):
    with pytest.raises(RequestError) as error:
        read(tmp_path, text)
    assert error.value.place == place


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f'[systems]\na.device = "A"\nb.device = "B"\n[[fact]]\nof = "b"\nto = "a"\nspeed = {10**400}',
            "reports/expected.toml: fact[0].speed: an integer of more than 64 bits",
        ),
        (
            '[systems]\na = { device = "A" }\n[[fact]]\nof = "b"\nto = "a"\nspeed = 1\nsource = "s"',
            'reports/expected.toml: fact[0].of: no system "b"; known: a',
        ),
        (
            '[systems]\na = { device = "A" }\n[[fact]]\nof = "a"\nto = "a"\nspeed = 1\nsource = "s"',
            'reports/expected.toml: fact[0]: a fact from "a" to itself; compare two systems',
        ),
        (
            '[systems]\na = { d = "A" }\nb = { d = "B" }\n[[fact]]\nof = "a"\nto = "b"\nspeed = 0\nsource = "s"',
            "reports/expected.toml: fact[0].speed: 0 is out of range; use a number above 0 and at most 10000",
        ),
        (
            '[systems]\na = { d = "A" }\nb = { d = "B" }\n[[fact]]\nof = "a"\nto = "b"\nspeed = 1',
            'reports/expected.toml: fact[0].source: missing; add source = "..."',
        ),
        (
            '[systems]\na = { d = "A" }\nb = { d = "B" }\n[[fact]]\nof = "a"\nto = "b"\nsped = 0.9\nsource = "s"',
            'reports/expected.toml: fact[0].sped: no such key; did you mean "speed"?',
        ),
        (
            '[systems]\na = { d = "A" }\nb = { d = "B" }\n[[fact]]\nof = "a"\nto = "b"\nspeed = 1\nsorce = "s"',
            'reports/expected.toml: fact[0].sorce: no such key; did you mean "source"?',
        ),
        (
            '[systems]\na = { d = "A" }\nb = { d = "B" }\n[[fact]]\nof = "a"\nto = "b"\nsource = "s"',
            "reports/expected.toml: fact[0].speed: missing; add speed = ...",
        ),
        (
            '[systems]\na = { d = "A" }\n[[fact]]\nto = "a"\nspeed = 1\nsource = "s"',
            'reports/expected.toml: fact[0].of: missing; add of = "..."',
        ),
        (
            "systems = 1",
            "reports/expected.toml: systems: expected a table, got 1; write systems = { name = value }",
        ),
        ("[[facts]]", 'reports/expected.toml: facts: no such key; did you mean "fact"?'),
    ],
)
def test_wrong_facts_say_where_what_and_what_to_do(tmp_path, text, message):
    (tmp_path / "expected.toml").write_text(text)
    with pytest.raises(RequestError) as error:
        read_settings(tmp_path, "reports")
    assert str(error.value) == message


def test_settings_are_optional_and_name_protocols(tmp_path):
    assert read_settings(tmp_path, "reports").inject == {"README.md": None}
    (tmp_path / "reportgen.toml").write_text(
        '[inject]\nfiles = ["a.md"]\n[protocols.long]\nsteps = "200+1000x7"\n'
    )
    settings = read_settings(tmp_path, "reports")
    assert settings.inject == {"a.md": None}
    assert settings.protocols["long"].measure == 1000
    (tmp_path / "reportgen.toml").write_text('[inject]\nfiles = { "docs/../a.md" = ["r/a"] }\n')
    assert read_settings(tmp_path, "reports").inject == {"a.md": ["r/a"]}


def test_the_address_of_logs_has_a_place_for_the_path(tmp_path):
    url = "https://forge/o/n/blob/main/{path}#L{line}"
    (tmp_path / "reportgen.toml").write_text(f'source_url = "{url}"\n')
    assert read_settings(tmp_path, "reports").source_url == url
    for wrong in ("https://forge/o/n", "javascript:{path}"):
        (tmp_path / "reportgen.toml").write_text(f'source_url = "{wrong}"\n')
        with pytest.raises(RequestError) as error:
            read_settings(tmp_path, "reports")
        assert str(error.value) == (
            f'reports/reportgen.toml: source_url: "{wrong}" is not an address of a file; write an '
            "address such as https://github.com/OWNER/NAME/blob/main/{path}#L{line}"
        )


INHERITED = """
[defaults]
rows = ["nodes", "devices"]
unit = "images/s"
where = { model = "resnet50" }
labels = { batch_size = "bsz" }

[[tables]]
id = "fp32"
where = { precision = "fp32" }
columns = ["framework"]

[[tables]]
id = "fp32-speedup"
like = "fp32"
unit = "sequences/s"
labels = { xla = "XLA" }
compare = { kind = "speedup", baseline = { devices = 1 } }

[[figures]]
kind = "bar"
table = "fp32"
"""


def test_a_table_inherits_fields_from_like_and_then_from_the_defaults(tmp_path):
    first, second = read(tmp_path, INHERITED).tables
    assert first.where == second.where == {"model": ("resnet50",), "precision": ("fp32",)}
    assert first.rows == second.rows == ("nodes", "devices")
    assert (first.columns, second.columns) == (("framework",), ("framework",))
    assert (first.unit, second.unit) == ("images/s", "sequences/s")
    assert (first.labels, second.labels) == ({"batch_size": "bsz"}, {"batch_size": "bsz", "xla": "XLA"})
    assert (first.compare, second.compare) == (None, CompareSpec("speedup", {"devices": 1}))
    assert (first.title, second.title) == ("fp32", "fp32-speedup")


def test_a_figure_without_an_id_has_that_of_its_table(tmp_path):
    assert [figure.id for figure in read(tmp_path, INHERITED).figures] == ["fp32"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TABLE + 'like = "u"', 'reports/x.toml:1: tables.t.like: no table "u" above; there are none'),
        (
            TABLE + '[[tables]]\nid = "u"\nlike = "tt"',
            'reports/x.toml:4: tables.u.like: no table "tt" above; did you mean "t"?',
        ),
        ("[defaults]\nid = 3", "reports/x.toml: defaults.id: no such key; "),
        ("[defaults]\ndigits = 0\n" + TABLE, "reports/x.toml: defaults.digits: 0 is out of range; "),
    ],
)
def test_wrong_inheritance_is_an_error_at_its_place(tmp_path, text, message):
    with pytest.raises(RequestError) as error:
        read(tmp_path, text)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("path", "shortest"), [("a/b", "a/b"), ("a/./b/", "a/b"), ("a/../b", "b"), ("a\\b", "a/b"), (".", "")]
)
def test_paths_are_taken_in_their_shortest_form(path, shortest):
    assert below(path, "p") == shortest


CSV = "device,devices,model,rate\nV100,1,a,50\nA40,1,a,100\nV100,1,b,80\nA40,1,b,40\nV100,1,c,3\nV100,8,a,1\nA40,8,a,1\n"
SOURCE = """\
title = "T"
tables = ["t.csv"]
[factors]
device = "device"
devices = "devices"
model = "model"
[[metrics]]
column = "rate"
metric = "throughput"
unit = "images/s"
"""
COMPUTED = """\
[systems]
V100 = { device = "V100" }
A40 = { device = "A40" }
[[fact]]
of = "V100"
to = "A40"
source = "T"
where = { devices = 1 }
computed = { logs = "logs", over = { model = %s } }
"""


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    for path, text in {"logs/t.csv": CSV, "logs/source.toml": SOURCE}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "reports").mkdir()
    return tmp_path


def facts(root: Path) -> tuple[SpeedFact, ...]:
    settings, reader = read_settings(root / "reports", "reports"), LogReader(root)
    expect_logs(settings.facts, reader)
    return compute_facts(settings.knowledge, settings.facts, reader).facts


def test_a_fact_can_be_the_geometric_mean_of_paired_ratios_of_a_campaign(campaign):
    (campaign / "reports/expected.toml").write_text(COMPUTED % '["a", "b"]')
    (fact,) = facts(campaign)
    assert fact.speed == pytest.approx(1.0)  # sqrt(50/100 x 80/40)


def test_a_fact_is_not_computed_over_values_that_a_system_lacks(campaign):
    (campaign / "reports/expected.toml").write_text(COMPUTED % '["a", "c"]')
    with pytest.raises(RequestError, match=r'fact\[0\].computed: no measured case of A40 with model = "c"'):
        facts(campaign)


OTHERS = """\
device,devices,model,batch_size,item,cpu,torch,rate
V100,1,a,296,image,Xeon,1.4,50
A40,1,a,496,image,EPYC,1.9,100
V100,1,b,8,image,Xeon,1.4,80
A40,1,b,16,image,EPYC,1.9,40
V100,1,c,8,image,Xeon,1.4,80
A40,1,c,8,token,EPYC,1.9,40
"""
OTHERS_SOURCE = (
    SOURCE.replace('model = "model"', 'model = "model"\nbatch_size = "batch_size"\nitem = "item"')
    .replace("[[metrics]]", '[environment]\ncpu = "cpu"\ntorch = "torch"\n[[metrics]]')
    .replace("images/s", "samples/s")
)


@pytest.fixture
def others(campaign: Path) -> Path:
    """Return the campaign with more columns: the systems ran other batches on other hosts, and "c" other items."""
    (campaign / "logs/t.csv").write_text(OTHERS)
    (campaign / "logs/source.toml").write_text(OTHERS_SOURCE)
    return campaign


@pytest.mark.parametrize(
    ("models", "batch_size"), [('["a"]', "batch_size (V100: 296, A40: 496)"), ('["a", "b"]', "batch_size")]
)
def test_a_computed_fact_says_in_what_else_its_cases_differ(others: Path, models: str, batch_size: str):
    (others / "reports/expected.toml").write_text(COMPUTED % models)
    (fact,) = facts(others)
    assert fact.differs == (batch_size, "cpu (V100: Xeon, A40: EPYC)", "torch (V100: 1.4, A40: 1.9)")


def test_a_fact_is_not_computed_from_cases_that_are_not_comparable(others: Path):
    text = COMPUTED % '["c"]'
    (others / "reports/expected.toml").write_text(text)
    with pytest.raises(RequestError) as error:
        facts(others)
    assert str(error.value) == (
        "reports/expected.toml: fact[0].computed: V100 and A40 are not comparable: item token -> image; "
        'choose other cases, or add accept = ["item"]'
    )
    (others / "reports/expected.toml").write_text(text.replace("over =", 'accept = ["item"], over ='))
    assert [fact.speed for fact in facts(others)] == [2.0]


RATIOS = "of,to,devices,model,x\nV100,A40,1,a,0.5\nV100,A40,1,b,0.72\nA40,V100,1,a,9\nV100,A40,8,a,9\n"
RATIOS_SOURCE = """\
title = "T"
tables = ["t.csv"]
[factors]
of = "of"
to = "to"
devices = "devices"
model = "model"
[[metrics]]
column = "x"
metric = "speed_ratio"
unit = "1"
"""


def test_a_fact_can_be_a_published_ratio_of_the_two_systems(campaign: Path):
    (campaign / "logs/t.csv").write_text(RATIOS)
    (campaign / "logs/source.toml").write_text(RATIOS_SOURCE)
    text = (COMPUTED % '["a", "b"]').replace("over =", 'ratio = "speed_ratio", over =')
    (campaign / "reports/expected.toml").write_text(text)
    assert [fact.speed for fact in facts(campaign)] == [pytest.approx(0.6)]  # sqrt(0.5 x 0.72)
    (campaign / "reports/expected.toml").write_text(text.replace('"b"', '"c"'))
    with pytest.raises(RequestError, match='no measured case of V100 over A40 with model = "c"'):
        facts(campaign)


@pytest.mark.parametrize(
    ("keys", "error"),
    [
        (
            'metric = "throughput", ratio = "r", over',
            "fact[0].computed: both metric and ratio; remove one of them",
        ),
        ('metric = "power", over', "fact[0].computed.metric: power is not a speed; use"),
        ('accept = ["clok"], over', 'fact[0].computed.accept: "clok" is not known; did you mean "clock"?'),
    ],
)
def test_a_wrong_computed_fact_is_an_error(campaign: Path, keys: str, error: str):
    (campaign / "reports/expected.toml").write_text((COMPUTED % '["a"]').replace("over", keys))
    with pytest.raises(RequestError) as raised:
        facts(campaign)
    assert str(raised.value).startswith(f"reports/expected.toml: {error}")


def test_a_path_with_a_nul_character_is_refused(tmp_path):
    with pytest.raises(RequestError, match="NUL character"):
        inside(tmp_path, "logs/a\0b", "t.toml: logs")


def test_a_key_of_compare_beside_it_is_sent_inside(tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    file.write_text('[[tables]]\nid = "t"\nmean = true\n')
    with pytest.raises(RequestError, match=r"mean: no such key; it belongs inside compare"):
        read_definition(file, "reports/r.toml", "r", {})


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            "where = { variant = { absnt = true } }",
            'where.variant.absnt: no such key; did you mean "absent"?',
        ),
        (
            "where = { variant = { absent = true, present = true } }",
            "where.variant: says neither absent nor present alone; write { absent = true }",
        ),
        (
            "where = { variant = { absent = false } }",
            "where.variant: says neither absent nor present alone; write { absent = true }",
        ),
        (
            'compare = { kind = "ratio", baseline = { variant = { presnt = true } } }',
            'compare.baseline.variant.presnt: no such key; did you mean "present"?',
        ),
        ('pick = { variant = "absnt" }', 'pick.variant: "absnt" is not known; did you mean "absent"?'),
    ],
)
def test_a_misspelt_condition_of_presence_is_an_error(tmp_path, keys, message):
    with pytest.raises(RequestError) as raised:
        read(tmp_path, f'title = "X"\nlogs = ["logs"]\n{TABLE}{keys}\n')
    assert str(raised.value) == f"reports/x.toml:3: tables.t.{message}"


def test_a_definition_says_that_a_factor_is_absent(tmp_path):
    keys = 'where = { variant = { absent = true }, host = { present = true } }\npick = { clip = "absent" }\n'
    compare = 'compare = { kind = "ratio", baseline = { variant = { absent = true } } }\n'
    (table,) = read(tmp_path, f'title = "X"\nlogs = ["logs"]\n{TABLE}{keys}{compare}').tables
    assert table.where == {"variant": (Presence.ABSENT,), "host": (Presence.PRESENT,)}
    assert table.pick == {"clip": "absent"}
    assert table.compare == CompareSpec("ratio", {"variant": Presence.ABSENT})
