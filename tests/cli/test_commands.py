"""The command line: output, exit codes, errors."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reportgen.cli.program import app
from tests.builders import write_files
from tests.cli.calling import COMMANDS, call, error_of
from tests.each_of import each_of
from tests.formats.valid_logs import VALID_LOGS


@each_of(COMMANDS)
def test_every_command_has_help_with_an_example(command):
    assert f"Example: reportgen {command}" in call(command, "--help")[0]


def test_the_help_imports_nothing_heavy():
    code = (
        "import sys; from typer.testing import CliRunner; from reportgen.cli.program import app;"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0;"
        "print(sorted({'numpy', 'pandas', 'matplotlib', 'torch', 'jinja2', 'markdown'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


@pytest.fixture
def here(repository, monkeypatch) -> Path:
    monkeypatch.chdir(repository)
    return repository


def test_build_prints_a_line_for_each_file_that_changed_then_none(here):
    out, err = call("build", "reports")
    assert "new      reports/frameworks/README.md" in out
    assert "changed  README.md" in out
    assert "1 report, 12 files changed" in err
    assert call("build", "reports")[0] == ""


def test_build_prints_a_warning_for_a_label_pattern_that_matches_no_log(here):
    (here / "logs/rates/labels.toml").write_text('[[paths]]\npattern = "{device}-{repeat:int}.log"\n')
    assert call("build", "reports")[1].splitlines()[0] == (
        'warning  logs/rates/labels.toml:2: paths[0]: "{device}-{repeat:int}.log" matches no log [read.unused-label]'
    )


def test_check_passes_after_build_and_names_stale_files_and_the_repair(here):
    call("build", "reports")
    assert call("check", "reports") == ("", "1 report, 8 files; findings: 1 note\nup to date\n")
    for file in ["frameworks/README.md", "frameworks/report.json", "frameworks/figures/rates.svg"]:
        path = here / "reports" / file
        good = path.read_bytes()
        digit = max(i for i, byte in enumerate(good) if 48 <= byte <= 57)
        path.write_bytes(good[:digit] + bytes([48 + (good[digit] - 47) % 10]) + good[digit + 1 :])
        out, err = call("check", "reports", code=3)
        assert out == f"{'stale' if file.endswith('.json') else 'edited':9} reports/{file}\n"
        assert "out of date; run: reportgen build reports" in err
        path.write_bytes(good)
    (here / "README.md").write_text((here / "README.md").read_text().replace("760", "761"))
    out, err = call("check", "reports", code=3)
    assert out == ""
    assert err.endswith(
        "1 table edited by hand, which `build` leaves alone; undo the edit, or delete the sum from the end "
        "marker and run: reportgen build reports\n"
    )
    assert "up to date" not in err


def test_build_keeps_the_text_of_a_page_that_was_edited_by_hand(here):
    call("build", "reports")
    page = here / "reports/frameworks/README.md"
    good = page.read_bytes()
    edited = good.replace(b"# ", b"# My ", 1)
    page.write_bytes(edited)
    out, err = call("build", "reports")
    (kept,) = page.parent.glob(".*")
    assert out == "edited   reports/frameworks/README.md\n"
    place = f"reports/frameworks/{kept.name}"
    assert (
        f"reports/frameworks/README.md: replaced a text that was edited by hand; it is kept in {place}\n"
        in err
    )
    assert (page.read_bytes(), kept.read_bytes()) == (good, edited)
    assert call("check", "reports")[1].endswith("up to date\n")


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.write_text("another version")])
def test_check_does_not_ask_for_files_that_each_clone_builds(here, change):
    call("build", "reports")
    change(here / "reports/assets/vega.js")
    assert call("check", "reports") == ("", "1 report, 8 files; findings: 1 note\nup to date\n")


@pytest.mark.parametrize("name", ["page.js", "page.css"])
def test_check_finds_a_script_and_a_style_that_are_edited_or_missing(here, name):
    call("build", "reports")
    asset = here / "reports/assets" / name
    asset.write_text(asset.read_text() + "/* edited */")
    assert f"reports/assets/{name}\n" in call("check", "reports", code=3)[0]
    asset.unlink()
    assert f"reports/assets/{name}\n" in call("check", "reports", code=3)[0]
    call("build", "reports")
    assert call("check", "reports")[1].endswith("up to date\n")


@pytest.mark.parametrize("ending", [".csv", ".toml"])
def test_check_finds_an_edit_of_a_log_that_changes_no_number(here, ending):
    call("build", "reports")
    (log,) = (here / "logs/rates").glob(f"*{ending}")
    log.write_text(log.read_text() + "\n")
    out, _ = call("check", "reports", code=3)
    assert out == "stale     reports/frameworks/report.json\n"


def test_check_names_missing_and_left_over_files(here):
    call("build", "reports")
    (here / "reports/frameworks/index.html").unlink()
    listed = here / "reports/frameworks/report.json"
    listed.write_text(listed.read_text().replace('"README.md"', '"README.md", "tables/old.md"', 1))
    (here / "reports/frameworks/tables/old.md").write_text("a\n")
    out, err = call("check", "reports", code=3)
    assert out.splitlines() == [
        "missing   reports/frameworks/index.html",
        "stale     reports/frameworks/report.json",
        "left over reports/frameworks/tables/old.md",
    ]
    assert "3 files are out of date; run: reportgen build reports" in err


def test_check_finds_files_that_no_build_wrote(here):
    call("build", "reports")
    (here / "reports/frameworks/fake.html").write_text("<p>999")
    (here / "reports/h100").mkdir()
    (here / "reports/h100/README.md").write_text("# 999\n")
    for command in ("check", "build"):
        out, err = call(command, "reports", code=3)
        assert out == ""
        for path in ("reports/frameworks/fake.html", "reports/h100/README.md"):
            message = "was not generated by reportgen; delete it, or move it out of the generated files"
            assert f"warning  {path}: {message} [publish.unknown-file]" in err
        assert "up to date" not in err
        assert "edited by hand" not in err


def test_build_of_a_definition_names_its_folder_instead(here):
    error = error_of("build", "reports/frameworks.toml")
    assert error == (
        "reports/frameworks.toml: is a file, not a folder of definitions; name its folder: reports"
    )


def test_a_hand_edited_table_is_never_overwritten(here):
    call("build", "reports")
    (here / "README.md").write_text((here / "README.md").read_text().replace("760", "761"))
    call("build", "reports", code=3)
    assert "761" in (here / "README.md").read_text()


def test_runs_prints_json_with_fixed_keys(here):
    document = json.loads(call("runs", "logs", "--format", "json")[0])
    assert document["version"] == 1
    first = document["runs"][0]
    assert first["id"] == "rates/rates.csv#1"
    assert first["path"] == "logs/rates/rates.csv"
    assert first["factors"] == {"devices": 1, "framework": "A", "item": "image"}
    assert first["steps"] == {"count": 0, "first": None, "last": None}
    assert first["measurements"] == [
        {
            "metric": "throughput",
            "phase": "step",
            "value": 100,
            "unit": "samples/s",
            "evidence": "published",
            "window": None,
            "invalid": None,
        }
    ]
    assert set(first) == {
        "id",
        "path",
        "format",
        "status",
        "repeat",
        "factors",
        "environment",
        "samples_per_step",
        "steps",
        "measurements",
        "findings",
    }


def test_runs_prints_a_table_and_csv(here):
    out, err = call("runs", "logs")
    assert out.splitlines()[:4] == [
        "all runs: format=published item=image",
        "",
        "run                devices  framework  status    measured",
        "rates/rates.csv#1  1        A          complete  throughput 100.0 images/s (published)",
    ]
    (line,) = call("runs", "logs", "--where", "devices=8", "--where", "framework=A")[0].splitlines()[1:]
    assert line.split()[:3] == ["rates/rates.csv#2", "published", "8"]
    out = call("runs", "logs", "--sort=-measured")[0]
    assert [line[:17] for line in out.splitlines()[3:5]] == ["rates/rates.csv#2", "rates/rates.csv#1"]
    assert "--sort" in call("runs", "logs", "--sort", "device", code=1)[1]
    assert err.startswith("4 runs; findings: none")
    lines = call("runs", "logs", "--format", "csv")[0].splitlines()
    assert lines[0].startswith(
        "id,format,status,repeat,steps,metric,phase,value,unit,evidence,invalid,factor:devices"
    )
    assert (
        lines[2]
        == "rates/rates.csv#2,published,complete,,0,throughput,step,760,samples/s,published,,8,A,image,"
    )


@pytest.mark.parametrize(
    ("condition", "found"),
    [("clip:absent", ["#2", "#4"]), ("clip:present", ["#1", "#3"]), ("clip=absent", ["#3"])],
)
def test_runs_that_lack_a_factor_are_chosen(here, condition, found):
    (here / "logs/rates/rates.csv").write_text(
        "framework,devices,clip,rate\nA,1,true,1\nA,8,,2\nB,1,absent,3\nB,8,,4\n"
    )
    source = (here / "logs/rates/source.toml").read_text()
    (here / "logs/rates/source.toml").write_text(source.replace("[constants]", 'clip = "clip"\n[constants]'))
    lines = call("runs", "logs", "--format", "csv", "--where", condition)[0].splitlines()[1:]
    assert [line.partition(",")[0].removeprefix("rates/rates.csv") for line in lines] == found


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("devices:absent", "--where: every run has devices; leave the condition out"),
        ("devces:absent", '--where: no run has the factor "devces"; did you mean "devices"?'),
        ("devices:absnt", '--where: "devices:absnt" is not factor=value; write it as --where devices=8'),
        (":absent", '--where: ":absent" is not factor=value; write it as --where devices=8'),
    ],
)
def test_a_wrong_condition_of_presence_is_an_error(here, condition, message):
    assert error_of("runs", "logs", "--where", condition) == message


def test_strict_turns_findings_into_an_exit_code(here):
    (here / "logs/rates/rates.csv").write_text("framework,devices,rate\nA,1,fast\nA,8,2\nA,1,3\n")
    call("runs", "logs", "--strict", code=4)
    call("build", "reports", "--strict", code=4)


def test_expected_prints_the_ratio_its_path_and_sources(here):
    (here / "reports/expected.toml").write_text(
        '[systems]\na = { d = "A" }\nb = { d = "B" }\nc = { d = "C" }\n'
        '[[fact]]\nof = "a"\nto = "b"\nspeed = 0.927\nwhere = { devices = 8 }\nsource = "S1"\nurl = "https://x"\n'
        '[[fact]]\nof = "c"\nto = "a"\nspeed = 0.67\nsource = "S2"\nread = 2024-02-17\n'
    )
    out = call("expected", "c", "b", "--where", "devices=8")[0]
    assert out.splitlines() == [
        "c should run at 0.6211 x the speed of b (devices = 8)",
        "  c : a = 0.6700  S2, read 2024-02-17",
        "  a : b = 0.9270  S1  https://x",
    ]
    assert "no system" in error_of("expected", "c", "d")
    assert "factor=value" in error_of("expected", "c", "b", "--where", "devices")


def test_expected_names_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert error_of("expected", "A40", "V100").startswith("reports/expected.toml: no such file; ")
    call("init")
    assert error_of("expected", "A40", "V100") == (
        'reports/expected.toml: target: no system "A40"; define it below [systems]'
    )


def test_init_writes_definitions_that_build_and_keeps_existing_files(here):
    (here / "reports/frameworks.toml").unlink()
    (here / "README.md").unlink()
    (here / "reports/reportgen.toml").write_text("# mine\n")
    out = call("init", "reports")[0]
    assert out.split() == ["new", "reports/expected.toml", "new", "reports/rates.toml"]
    assert (here / "reports/reportgen.toml").read_text() == "# mine\n"
    call("build", "reports")
    assert "760" in (here / "reports/rates/README.md").read_text()
    assert "nothing to do" in call("init", "reports")[1]


def test_init_explains_layouts_and_takes_another(here):
    (here / "reports/frameworks.toml").unlink()
    before = sorted(here.rglob("*"))
    lines = call("init", "reports", "--explain")[0].splitlines()
    assert lines[0] == "reports/rates.toml"
    assert [line.split(maxsplit=1)[0] for line in lines[1:]] == [str(n) for n in range(1, len(lines))]
    assert "points: " in lines[1]
    assert sorted(here.rglob("*")) == before
    assert error_of("init", "reports", "--pick", "99").endswith(f"name a number up to {len(lines) - 1}")
    call("init", "reports", "--pick", str(len(lines) - 1))
    assert (here / "reports/rates.toml").exists()


def test_init_of_logs_without_a_number_writes_a_definition_that_builds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {"logs/x/c.csv": "device,batch,latency_ms\nA,8,x\n"})
    call("init", "reports/")
    call("build", "reports/")
    assert "No table has a number" in (tmp_path / "reports/x/README.md").read_text("utf-8")
    assert "pick: no report has 2 layouts; name a number up to 1" in error_of(
        "init", "--pick", "2", "reports/"
    )


def test_init_after_learn_gives_each_log_without_factors_a_row(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs/c").mkdir(parents=True)
    for number in (1, 2):
        lines = [f"step={step} time={number * 0.125} s\n" for step in range(1, 140)]
        (tmp_path / f"logs/c/train{number}.log").write_text("".join(lines))
    call("learn", "logs/c/train1.log", "--write", "logs")
    err = call("init")[1]
    assert err == (
        "logs/c/labels.toml: only the path distinguishes some runs; give log a better name\n"
        "next: reportgen build reports\n"
    )
    call("build")
    text = Path("reports/c/README.md").read_text()
    assert "| train1 | 125.0 |\n| train2 | 250.0 |" in text
    assert "nothing to do" in call("init")[1]


def test_init_learns_logs_that_leave_nothing_in_doubt(tmp_path, monkeypatch):
    """The medians are 0.301 and 0.201 s: the page compares the two, and says how the logs were read."""
    monkeypatch.chdir(tmp_path)
    for name, seconds in (("a100", 0.3), ("h100", 0.2)):
        text = "".join(f"step {n} loss 3.0 time {seconds + n % 3 / 1000:.3f}s\n" for n in range(1, 130))
        write_files(tmp_path / "logs", {f"{name}.log": text})
    out, err = call("init", "reports")
    assert out.splitlines()[0] == "new      logs/labels.toml"
    assert "logs/labels.toml: says how to read logs of an unknown format; check it" in err
    call("build", "reports")
    page = (tmp_path / "reports/overview/README.md").read_text()
    assert "**Step time: h100 is 50 % faster than a100 (one run each).**" in page
    assert "How to read these logs was learned from their lines: check logs/labels.toml." in page


def test_init_keeps_existing_labels_and_suggests_a_pattern(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    for name, time in (("a", 0.125), ("b", 0.25)):
        lines = [f"step={step} time={time} s\n" for step in range(1, 140)]
        (tmp_path / f"logs/{name}.log").write_text("".join(lines))
    call("learn", "logs/a.log", "--write", "logs")
    before = b"# of a person\n" + Path("logs/labels.toml").read_bytes()
    Path("logs/labels.toml").write_bytes(before)
    assert "logs/labels.toml: only the path distinguishes" in call("init")[1]
    assert Path("logs/labels.toml").read_bytes() == before
    assert "# pattern = '/{log}.log'" in Path("reports/overview.toml").read_text()
    call("build")
    assert "| 2 | 250.0 |" in Path("reports/overview/README.md").read_text()


def test_init_lays_out_tables_by_what_the_files_that_it_names_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    # A report and its configuration are one run of their folder, in which other logs are, too.
    for name, content in {**VALID_LOGS["optimum_benchmark"], **VALID_LOGS["llama_bench"]}.items():
        (tmp_path / "logs" / name).write_bytes(content)
    call("init")
    assert 'logs = ["logs/benchmark_report.json"]' in Path("reports/tiny.toml").read_text()
    assert "2 reports" in call("build")[1]


@pytest.mark.parametrize("folder", ["logs", "logs/rates", "."])
def test_init_writes_nothing_into_a_folder_of_logs(here, folder):
    before = sorted(here.rglob("*"))
    assert error_of("init", folder) == (
        f"{folder}: holds logs and no definition; name a folder for reports: reportgen init reports/ "
        "(for logs outside logs/: reportgen build reports/ --logs DIR)"
    )
    assert sorted(here.rglob("*")) == before


def test_init_accepts_reports_built_without_definitions(here):
    (here / "reports/frameworks.toml").unlink()
    (here / "README.md").unlink()  # it shows a table of the definition
    call("build", "reports")
    for settings in here.glob("reports/*.toml"):
        settings.unlink()
    assert "reports/rates.toml" in call("init", "reports")[0]


def test_init_without_logs_says_where_to_put_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert call("init")[1] == "no runs below logs/; put logs there, then: reportgen build reports\n"


def test_build_of_a_generated_report_names_the_folder_above(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("reports/one").mkdir(parents=True)
    Path("reports/one/report.json").write_text("{}")
    assert error_of("build", "reports/one") == (
        "reports/one: is a generated report, not a folder of definitions;"
        " name the folder above it: reportgen build reports"
    )


def test_build_without_a_run_is_an_error_with_a_remedy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("reports").mkdir()
    elsewhere = "put logs there, or name their folder: reportgen build reports --logs DIR"
    assert error_of("build") == f"logs: no such folder; {elsewhere}"
    Path("logs").mkdir()
    assert error_of("build") == f"logs: no runs; {elsewhere}"
    Path("logs/a.log.gz").write_bytes(b"\x1f\x8b\x08abc")
    assert error_of("build").startswith(
        "logs: no runs; logs/a.log.gz: was skipped: cannot be unpacked: Compressed file ended"
    )
    Path("logs/a b.log").write_text("it 1 took 5 whatevers\n")
    assert error_of("build") == (
        "logs: no runs: no format recognises this file; try: reportgen learn 'logs/a b.log'"
    )
    assert list(Path("reports").iterdir()) == []


def test_formats_lists_formats_and_explains_a_claim(here):
    assert "published" in call("formats")[0]
    out = call("formats", "--explain", "logs/rates")[0]
    assert "1.00" in out
    assert "logs/rates/source.toml" in out
    assert "no format recognises it" in error_of("formats", "--explain", "README.md")


def test_formats_explains_a_custom_format(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs/r").mkdir(parents=True)
    (tmp_path / "logs/r/x.log").write_text("step=1 time=0.5\n")
    pattern = r"pattern = 'step=(?P<step>\d+) time=(?P<step_time_s>[\d.]+)'"
    (tmp_path / "logs/labels.toml").write_text(f'[format]\nname = "mine"\n{pattern}\n')
    for path in ("logs/r/x.log", "logs"):
        assert "1.00        custom  logs/r/x.log:1  step=1 time=0.5" in call("formats", "--explain", path)[0]
    assert "no format recognises it" in error_of("formats", "--explain", "logs/labels.toml")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty; name a log with some steps in it"),
        (b" \n\0\0\0", "is empty; name a log with some steps in it"),
        (b"\0\1\0\2", "is binary; convert it to text first"),
        (b"\x1f\x8b\x08abc", "is compressed with gzip; decompress it first"),
        ("step 1\n".encode("utf-16-le"), "is UTF-16; convert it first: iconv -f UTF-16LE -t UTF-8"),
        ("step 1\n".encode("utf-16-be"), "is UTF-16; convert it first: iconv -f UTF-16BE -t UTF-8"),
        (b"step\0 1\n", "no format recognises it"),
        (b"step\1\0 \2 1\n", "is binary; convert it to text first"),
        (b"hello\n", "no format recognises it; list what can be read with `reportgen formats`"),
    ],
)
def test_formats_explains_why_no_format_claims_a_file(tmp_path, monkeypatch, content, why):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.log").write_bytes(content)
    assert f"x.log: {why}" in error_of("formats", "--explain", "x.log")


def test_runs_prints_warnings_of_skipped_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in range(23):
        (tmp_path / f"{number}.log.gz").write_bytes(b"\x1f\x8b\x08abc")
    told = call("runs", ".")[1].splitlines()
    first = "warning  1.log.gz: was skipped: cannot be unpacked: Compressed file ended before the end-of-stream marker was reached"
    assert told[1] == f"{first} [read.packed-file]"
    assert told[-2:] == [
        "warning  ... and 20 more of read.packed-file: see --format json",
        "0 runs; 23 files skipped (compressed with gzip): 0.log.gz, 1.log.gz, 2.log.gz, ... (list all with "
        "--skipped); findings: 23 warnings",
    ]
    assert len(told) == 5
    assert len(call("runs", ".", "--format", "json")[1].splitlines()) == 1


@pytest.mark.parametrize("command", [["runs"], ["formats", "--explain"], ["learn"]])
def test_paths_that_cannot_be_read_are_errors_that_name_them(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    Path("link.log").symlink_to("gone.log")
    Path("loop.log").symlink_to("loop.log")
    os.mkfifo("pipe.log")
    assert error_of(*command, "link.log") == (
        'link.log: is a link to "gone.log", which does not exist; repair the link'
    )
    assert error_of(*command, "loop.log").startswith('loop.log: is a link to "loop.log"')
    assert error_of(*command, "pipe.log") == (
        "pipe.log: is neither a file nor a folder; copy its output into a file"
    )
    assert error_of(*command, "none.log") == "none.log: no such file or folder; check the path"
    assert error_of(*command, os.fsdecode(b"\xff.log")) == r"\xff.log: no such file or folder; check the path"


def test_rules_and_explain_describe_findings(here):
    assert "protocol.few-repeats" in call("rules")[0]
    assert call("explain", "protocol.gap")[0].startswith("# protocol.gap")
    assert 'did you mean "protocol.gap"?' in error_of("explain", "protocol.gaps")


def test_an_error_is_one_line_on_stderr_with_exit_code_1(here):
    (here / "reports/frameworks.toml").write_text('titel = "x"')
    done = subprocess.run(
        [sys.executable, "-m", "reportgen", "build", "reports"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == 'error  reports/frameworks.toml: titel: no such key; did you mean "title"?\n'


def test_wrong_usage_is_exit_code_2():
    assert (
        '\'--format\': "jsn" is not known; did you mean "json"?'
        in call("runs", ".", "--format", "jsn", code=2)[1]
    )
    assert "No such option: --no-such-option" in call("build", "--no-such-option", code=2)[1]


def test_the_version_is_printed():
    assert call("--version")[0].startswith("reportgen 0.")


STEPS = "#clock,1,2\nstep,begin_ns,duration_ns\n" + "".join(
    f"{i},{i * 10**6},1000000\n" for i in range(1, 16)
)
RUN = '{"format":"reportgen-run","version":1,"status":"complete","case":{"a":1},"samples_per_step":4}'


@pytest.fixture
def short(tmp_path, monkeypatch) -> Path:
    """A log of ours that ends within the warm-up, and files that are not logs."""
    folder = tmp_path / "logs/n"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(RUN)
    (folder / "steps.rank0.csv").write_text(STEPS)
    for name in "abcd":
        (tmp_path / f"logs/{name}.txt").write_text("hello\n")
    monkeypatch.chdir(tmp_path)
    return folder


def test_runs_says_why_a_run_has_no_measurement_and_strict_counts_it(short):
    out, err = call("runs", "logs", "--format", "json", "--strict", code=4)
    run = json.loads(out)["runs"][0]
    assert run["measurements"] == []
    assert [f["message"] for f in run["findings"] if f["rule"] == "protocol.short-window"] == [
        "log ends at step 15, within the warm-up of 20 steps"
    ]
    assert err == (
        "1 run; 4 files skipped (unknown format): logs/a.txt, logs/b.txt, logs/c.txt, ... (list all with "
        "--skipped); findings: 2 warnings\n"
    )


def test_runs_of_one_unknown_table_names_the_command_that_learns_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "engine,alpha,beta\nx,12.5,30.5\ny,14.5,44.5\n"
    write_files(
        tmp_path,
        {
            "r.csv": rows,
            "notes.md": "| a | b |\n|---|---|\n| x | 12.5 |\n",
            "notes.rst": "Notes\n=====\n\n== ====\na  b\n== ====\nx  12.5\n== ====\n",
            "README.md": "# Notes\n",
        },
    )
    assert "; propose how to read it: reportgen learn r.csv; findings" in call("runs", "r.csv")[1]
    assert "; propose how to read it: reportgen learn notes.md; findings" in call("runs", "notes.md")[1]
    assert "; propose how to read it: reportgen learn notes.rst; findings" in call("runs", "notes.rst")[1]
    assert "reportgen learn" not in call("runs", "README.md")[1]


def test_runs_lists_skipped_files_with_their_reasons(short):
    for name, content in {"e.log": b"", "f.log": b"\0\1", "README.md": b"# Notes\n"}.items():
        Path("logs", name).write_bytes(content)
    out, err = call("runs", "logs", "--skipped", "--format", "csv")
    assert out.splitlines() == [
        "file,bytes,reason", "logs/README.md,8,not a log", *(f"logs/{name}.txt,6,unknown format" for name in "abcd"),
        "logs/e.log,0,empty", "logs/f.log,2,binary",
    ]  # fmt: skip
    assert "7 files skipped (1 binary, 1 empty, 1 not a log, 4 unknown format): logs/a.txt, " in err
    assert [line.split()[0] for line in call("runs", "logs", "--skipped")[0].splitlines()][:2] == [
        "file",
        "logs/README.md",
    ]
    assert len(json.loads(call("runs", "logs", "--format", "json")[0])["skipped"]) == 7


def test_runs_and_build_count_runs_by_status(short):
    (short / "run.json").write_text(RUN.replace("complete", "failed"))
    assert call("runs", "logs")[1].startswith("1 run (1 failed); 4 files skipped")
    Path("reports").mkdir()
    assert "; 1 run (1 failed); 4 files skipped" in call("build", "--logs", "logs", "--out", "out")[1]


def test_json_output_has_no_nan(short):
    (short / "environment.node0.json").write_text(
        '{"format":"reportgen-environment","version":1,"node":0,"ranks":[0],"environment":{"x":NaN}}'
    )
    out = call("runs", "logs", "--format", "json")[0]
    assert json.loads(out, parse_constant=pytest.fail)["runs"]


def test_control_characters_of_a_log_do_not_reach_the_terminal(short):
    (short / "run.json").write_text(RUN.replace('"a":1', '"a":"\\u001b]0;x\\u0007中"'))
    done = subprocess.run(
        [sys.executable, "-m", "reportgen", "runs", "logs"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode("utf-8")
    assert "native  \ufffd]0;x\ufffd中" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cache", "clera"), 'Invalid value for \'action\': "clera" is not known; did you mean "clear"?'),
        (("learn", "x", "--format", "jsn"), '"jsn" is not known; did you mean "json"?'),
        (("diff", "--format", "nope"), '"nope" is not known; known: json, markdown, text'),
    ],
)
def test_a_wrong_word_is_named_with_the_nearest(arguments: tuple[str, ...], message: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
