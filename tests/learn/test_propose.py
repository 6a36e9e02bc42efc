"""learn: the formats proposed for styles of logs, the output and files of the command, arbitrary text."""

import json
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.errors import RequestError
from reportgen.formats.custom import reader as custom
from reportgen.formats.custom.definition import format_definition
from reportgen.formats.parsing.text_log import TextLog
from reportgen.learn import Proposal, propose_format
from reportgen.sources.logfiles import LogFiles
from tests.cli.calling import call, error_of
from tests.each_of import each_of, each_row


def learned(log: str | bytes, name: str = "x.log") -> Proposal:
    """Return what is proposed for a log."""
    content = log.encode() if isinstance(log, str) else log
    return propose_format(LogFiles.of({name: content}).file(name))


def values(proposal: Proposal) -> dict[str, float]:
    """Return what `runs` measures: metric -> value."""
    return {value.metric: value.value for value in proposal.listing.runs[0].measurements}


def taken(proposal: Proposal) -> dict[str, str]:
    """Return what is taken out of the first line that matches: group -> text, without the step."""
    groups, first = proposal.records[:2]
    return {name: text for name, text in zip(groups, first, strict=True) if name not in ("line", "step")}


def pattern(proposal: Proposal) -> str:
    """Return the proposed pattern."""
    return str(tomllib.loads(proposal.toml)["format"]["pattern"])


PIPES = "using 8 gpus\n" + "".join(
    f"step {i}/1000 | loss {3 - i / 1000:.4f} | lr 3.0e-04 | time 12.5 ms | {1024 + i % 5:,.1f} img/s\n"
    for i in range(0, 1000, 10)
)
COLOURS = "".join(
    f"\x1b[32m[rank{rank}]\x1b[0m 2024-02-28 23:59:{40 + i // 10},{i % 10}00 INFO train: iter={i} "
    f"loss={'nan' if i == 5 else 2.5} speed: {4 if i % 2 else 4.0} it/s\n"
    for i in range(1, 100)
    for rank in range(2)
)
TQDM = "loading\n" + "\r".join(
    f"{i:3d}%|{'█' * (i // 10)}{' ' * (10 - i // 10)}| {i}/100 [00:{i // 10:02d}<00:{10 - i // 10:02d}, "
    f"{'?' if i == 0 else '10.00'}it/s, loss={3 - i / 100:.3f}]"
    for i in range(101)
)
STAMPS = "".join(
    f"2024-01-02 03:{4 + i // 60:02d}:{i % 60:02d}.250 | epoch 1 | batch {i * 2} of 500 | loss 1.5\n"
    for i in range(1, 200)
)
JSON_LINES = "".join(
    f'{{"step": {i}, "samples_per_second": 512.5, "loss": 3.2, "step_time_ms": 124.5}}\n'
    for i in range(1, 50)
)
EPOCHS = "".join(
    f"Epoch [{epoch}/3][{i:>4}/100] Time 0.125 (0.130) Data 0.010 (0.011) Loss 6.98\n"
    for epoch in range(1, 4)
    for i in range(0, 100, 10)
)
UNIX = "".join(
    f"[{1700000000.5 + i * 0.25:.3f}] worker-3 iteration {i:6d}: 250.0ms/step, tokens/sec: 81920, "
    f"gpu mem 12.3GB, eta 00:{59 - i // 10:02d}:10\n"
    for i in range(100)
)
PER_GPU = "".join(
    f"Training: step: {i} (1.25 s/it) tok/s/gpu 12,345.5 consumed samples: {i * 256}\n" for i in range(1, 80)
)
INTERVAL = "".join(
    f"2024-01-02 10:{i // 6:02d}:{i % 6 * 10:02d} iter {i * 100} time 10.0 s\n" for i in range(1, 60)
)
EVALUATION = "".join(f"train: step {i} took 0.5 sec\neval: step {i} took 0.25 sec\n" for i in range(1, 60))
ELAPSED = "".join(f"it {i} loss 2.5 elapsed {i * 0.5:.2f}s\n" for i in range(1, 60))
SIZES = "".join(f"batch_size=64 world_size=8 step={i} step_time=0.5s\n" for i in range(1, 60))


@each_row(
    [
        (
            PIPES,
            ("step", "step_time_ms", "images_per_second"),
            {"step_time": 0.0125, "throughput": 1024},
            100,
        ),
        (COLOURS, ("rank", "timestamp", "step", "steps_per_second"), {}, 198),
        (TQDM, ("step", "steps_per_second"), {"step_time": 0.1}, 100),
        (STAMPS, ("timestamp", "epoch", "step"), {"step_time": 0.5}, 199),
        (
            JSON_LINES,
            ("step", "samples_per_second", "step_time_ms"),
            {"step_time": 0.1245, "throughput": 512.5},
            49,
        ),
        (EPOCHS, ("epoch", "step", "steps_per_epoch", "step_time_s"), {"step_time": 0.125}, 30),
        (
            UNIX,
            ("timestamp", "step", "step_time_ms", "tokens_per_second"),
            {"step_time": 0.25, "throughput": 81920},
            100,
        ),
        (
            PER_GPU,
            ("step", "step_time_s", "tokens_per_second"),
            {"step_time": 1.25, "throughput_per_device": 12345.5},
            79,
        ),
        (INTERVAL, ("timestamp", "step"), {"step_time": 0.1}, 59),
        (EVALUATION, ("step", "step_time_s"), {"step_time": 0.5}, 59),
        (ELAPSED, ("step", "timestamp"), {"step_time": 0.5}, 59),
        (SIZES, ("batch_size", "devices", "step", "step_time_s"), {"step_time": 0.5, "throughput": 1024}, 59),
    ]
)
def test_a_pattern_is_learned_from_each_style_of_log(
    log: str, groups: tuple[str, ...], measured: dict[str, float], matched: int
) -> None:
    found = learned(log)
    assert tuple(format_definition("x", tomllib.loads(found.toml)["format"]).groups) == groups
    assert found.matched == matched
    assert values(found) == {
        **values(found),
        **{name: pytest.approx(value, rel=0.01) for name, value in measured.items()},
    }


@each_of(
    [" :: ", " : ", ": ", " => ", " | ", ", ", "; ", " - ", " -> ", " / ", "  "],
    ["took 97.5 ms", "97.5 ms", "took 97.5ms"],
    ["657.1 samples/s", "657.1 samples per sec", "at 657.1 samples/s"],
)
def test_the_unit_after_a_number_wins_with_any_separator(apart: str, time: str, rate: str) -> None:
    found = learned(lines(apart.join(["## it #", time, rate, "loss=5.0"])))
    assert (taken(found), found.notes) == ({"step_time_ms": "97.5", "samples_per_second": "657.1"}, ())


@each_row(
    [
        (
            "it # :: 97.5 ms :: 657.1 samples/s :: 12.0",
            {"step_time_ms": "97.5", "samples_per_second": "657.1"},
        ),
        (
            "it # :: speed 657.1 samples/s :: took 97.5 ms",
            {"step_time_ms": "97.5", "samples_per_second": "657.1"},
        ),
        (
            "it # :: 97.5 ms :: 657.1 samples/s :: loss 5.0 :: lr 0.1",
            {"step_time_ms": "97.5", "samples_per_second": "657.1"},
        ),
        ("it #, 5.0 loss, 657.1 samples/s", {"samples_per_second": "657.1"}),
        # What leads to the next number is its name.
        ("step=# tok/s=618.5 ms/it=97.5", {"step_time_ms": "97.5", "tokens_per_second": "618.5"}),
        ("step # tok/s: 618.5 ms/it: 97.5", {"step_time_ms": "97.5", "tokens_per_second": "618.5"}),
        (
            "step : # loss : 5.0 tok/s : 618.5 step ms : 97.5",
            {"step_time_ms": "97.5", "tokens_per_second": "618.5"},
        ),
        ("step #/100 tok/s: 618.5", {"tokens_per_second": "618.5"}),
        ("step # time 0.5 tok/s: 618.5", {"step_time_s": "0.5", "tokens_per_second": "618.5"}),
        ("step # mem: 12.5 tok/s: now 618.5", {"tokens_per_second": "618.5"}),
    ]
)
def test_a_unit_between_two_numbers_belongs_to_one_of_them(line: str, groups: dict[str, str]) -> None:
    assert taken(learned(lines(line))) == groups


@each_of(
    ["loss", "train_loss", "lr", "learning rate", "grad_norm", "accuracy", "acc", "ppl"],
    ["samples/s: {}=0.5", "ms {} 0.5", "{}: 0.5 ms 12", "{} 0.5 samples/s"],
)
def test_a_loss_is_neither_a_rate_nor_a_time(word: str, form: str) -> None:
    assert taken(learned(lines(f"it # took 3.25s, {form.format(word)}"))) == {"step_time_s": "3.25"}


@each_row(
    [
        ("step_ms=125.0", "step_time_ms"),
        ("iter_us=125.0", "step_time_us"),
        ("step_s=125.0", "step_time_s"),
        ("train_step_sec: 125.0", "step_time_s"),
        ("step (ms): 125.0", "step_time_ms"),
        ("tok_per_s=125.0", "tokens_per_second"),
        ("samples_per_sec=125.0", "samples_per_second"),
        ("steps_per_sec=125.0", "steps_per_second"),
        # The time of a part, of who knows what, and what may be a rate as well as a time.
        ("fwd_ms=125.0", ""),
        ("gpu_ms=125.0", ""),
        ("it_s=125.0", ""),
    ]
)
def test_a_unit_at_the_end_of_a_name_applies_to_its_number(field: str, group: str) -> None:
    found = learned("".join(f"2024-01-02 03:04:0{i} step={i} | {field} | loss=5.0\n" for i in range(1, 9)))
    expected = {"timestamp": "2024-01-02 03:04:01"} | ({group: "125.0"} if group else {})
    assert (taken(found), found.notes) == (expected, ())


def test_the_learned_pattern_is_readable() -> None:
    assert pattern(learned(SIZES)) == (
        r"batch_size=(?P<batch_size>\d+) world_size=(?P<devices>\d+) step=(?P<step>\d+) step_time=(?P<step_time_s>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)s\b"
    )
    assert pattern(learned(EPOCHS)) == (
        r"Epoch \[(?P<epoch>\d+)/\d+\]\[\s*(?P<step>\d+)/(?P<steps_per_epoch>\d+)\] Time (?P<step_time_s>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)[.,:]?(?:[^\pL\d_.,:%]|$)"
    )


def sister(learned_from: str, log: str) -> list[tuple[bytes | None, ...]]:
    """Return what the pattern learned from one log's lines takes out of another's."""
    own = format_definition("x", tomllib.loads(learned(learned_from).toml)["format"])
    found = custom.matched(own, TextLog(LogFiles.of({"y.log": log.encode()}).file("y.log")))
    return list(zip(*(found.columns[name] for name in own.groups), strict=True))


def lines(line: str) -> str:
    """Return lines of three steps; # stands for the step."""
    return "".join(line.replace("#", str(i)) + "\n" for i in (1, 2, 3))


@each_row(
    [
        ('{"step": #, "time_s": 0.0125}', '{"step": 7, "time_s": 9.42e-05}', b"9.42e-05"),
        ("step=# time=1.5", "step=7 time=9.42E-05", b"9.42E-05"),
        ("step # time 1.5", "step 7 time 25", b"25"),
        ("step # time 1.5", "step 7 time 0.25, loss 2", b"0.25"),
        ("step # time 1.5", "step 7 time 0.25.", b"0.25"),
        ("step # time 1.5", "step 7 time 0.25)", b"0.25"),
        ("step # time 1,000.5", "step 7 time 12,345.25", b"12,345.25"),
        ("step # time 1,000.5", "step 7 time 12,345.25, loss", b"12,345.25"),
        ("step # time 1.5ms", "step 7 time 0.25ms,", b"0.25"),
        ("step # time 0.25   1.5", "step 7 time 9e-05   1.5", b"9e-05"),
    ]
)
def test_a_number_in_another_notation_is_matched_whole(line: str, other: str, taken: bytes) -> None:
    assert [cells[-1] for cells in sister(lines(line), other)] == [taken]


@each_row(
    [
        ("step # time 1.5", "step 7 time 1,234.5"),
        ("step # time 1.5", "step 7 time 1.2.3"),
        ("step # time 1.5", "step 7 time 01:30"),
        ("step # time 1.5", "step 7 time 500ms"),
        ("step # time 1.5", "step 7 time 500µs"),
        ("step # time 1.5", "step 7 time 9.42e-x"),
        ("step # time 1.5", "step 7 time 95%"),
        ("step # time 1.5", "step 7 time -0.5"),
        ("step # time 1.5", "step 7 time 0x1f"),
        ("step # time 1,000.5", "step 7 time 12,3456"),
        ("step # time 1.5s", "step 7 time 0.5samples"),
        ("step # time 1.5s", "step 7 time 500ms"),
        ("time 0.5 step #", "time 0.5 step 12.5"),
        ("time 0.5 step #", "time 0.5 step 12k"),
        ("4 # 0.5 ms", "4 3.12 0.5 ms"),
        ("step #: 7.5 img/s", "step 7: 1024 img/step"),
    ]
)
def test_a_longer_number_is_no_match_rather_than_a_wrong_one(line: str, other: str) -> None:
    assert sister(lines(line), other) == []


@each_of(["x", "e", "_ms", "...", "%", ",3", "x3", ".5.5", ":30h"])
def test_text_glued_to_the_last_number_is_part_of_the_pattern(behind: str) -> None:
    log = lines("step # time 0.125" + behind)
    assert len(sister(log, log)) == 3


def test_the_first_and_last_matching_records_are_shown() -> None:
    found = learned(PIPES)
    assert found.lines == 101
    assert found.records[0] == ("line", "step", "step_time_ms", "images_per_second")
    assert found.records[1] == ("2", "0", "12.5", "1,024.0")
    assert [row[0] for row in found.records[2:]] == ["3", "4", "...", "99", "100", "101"]


def test_lines_that_nearly_match_are_shown() -> None:
    found = learned(TQDM)
    assert (
        found.near_miss_count,
        found.near_misses[0][0],
        found.near_misses[0][1].endswith("?it/s, loss=3.000]"),
    ) == (1, 2, True)


def test_assumptions_are_noted() -> None:
    assert learned(EPOCHS).notes == ("the time has no unit: seconds are assumed",)
    assert learned(INTERVAL).notes == (
        "the printed time covers all steps since the previous line; timestamps are more precise",
    )
    assert learned(ELAPSED).notes == (
        '"elapsed" only grows: it is the time since the start, not a step time; the difference from line to line '
        "is used",
    )
    known = "".join(f"iter {i}: loss 3.2202, time 893.76ms, mfu 16.68%\n" for i in range(9))
    assert learned(known).notes == ("nanogpt already reads this file; a custom format takes precedence",)


def test_several_lines_of_one_step_are_noted() -> None:
    ranks = "".join(f"[{r}] step {i} time 0.{i % 2 + 1 + r}s\n" for i in range(1, 9) for r in range(4))
    assert learned(ranks).notes == (
        "step 1 has 4 lines; the first line of a step is used, another has up to 4 x its time",
    )
    assert learned(COLOURS).notes == ()
    zeros = lines("step # time 0.0s") + lines("step # time 1.5s")
    assert learned(zeros).notes == ("step 1 has 2 lines; the first line of a step is used",)


def test_the_slowest_rank_counts_if_lines_name_ranks() -> None:
    log = "".join(f"rank {r}: step {i} took {0.25 * (r + 1)}s\n" for i in range(1, 130) for r in range(4))
    found = learned(log)
    assert "(?P<rank>\\d+)" in pattern(found)
    assert (values(found), found.notes) == ({"step_time": 1.0}, ())


@pytest.mark.parametrize("restarts", [0, 1])
@pytest.mark.parametrize(
    ("form", "per_second", "group"),
    [
        (
            "step:{step}/1770 train_loss:4.5 train_time:{time:.0f}ms step_avg:{mean:.2f}ms",
            1000,
            "timestamp_ms",
        ),
        ("step {step} | total time {time:.2f} s | loss 4.5", 1, "timestamp"),
        ("it {step} runtime (min): {time:.4f}", 1 / 60, "timestamp_min"),
    ],
)
def test_a_time_that_only_grows_is_no_step_time_and_its_difference_is_used(
    form: str, per_second: float, group: str, restarts: int
) -> None:
    # 0.36 s per step; the clock may start again after the tenth step.
    times = {step: 0.36 * (step - 10 * restarts * (step > 10)) for step in range(1, 140)}
    rows = (form.format(step=n, time=t * per_second, mean=1000 * t / n) for n, t in times.items())
    found = learned("".join(f"{row}\n" for row in rows))
    assert f"(?P<{group}>" in pattern(found)
    assert values(found)["step_time"] == pytest.approx(0.36, rel=0.01)
    assert found.notes[0].endswith(
        " only grows: it is the time since the start, not a step time; the difference from line to line is used"
    )


def test_a_time_that_drifts_is_no_time_since_the_start() -> None:
    log = "".join(f"step {i} took {500 + i * 0.1:.1f} ms 64 img/s\n" for i in range(1, 100))
    assert "timestamp" not in pattern(learned(log))


def test_noise_that_rises_by_chance_is_a_step_time() -> None:
    log = "".join(f"step {i} took {500 + i % 9} ms\n" for i in range(1, 100))
    assert "(?P<step_time_ms>" in pattern(learned(log))


def test_a_growing_time_per_step_is_not_taken_for_elapsed_time() -> None:
    log = "".join(
        f"iteration {i}/50 | elapsed time per iteration (ms): {5000 + i}.5 | lr: 0.1\n" for i in range(1, 4)
    )
    assert "(?P<step_time_ms>" in pattern(learned(log))


def test_a_rate_per_device_is_recognised() -> None:
    assert tomllib.loads(learned(PER_GPU).toml)["format"]["rate"] == "per-device"


@each_row(
    [
        (b"", "x.log: is empty; name a log with some steps in it"),
        (b"\0\1\2", "x.log: is binary; convert it to text first"),
        (b"\x1f\x8b\x08abc", "x.log: is compressed with gzip; decompress it first"),
        ("step 1\n".encode("utf-16-le"), "x.log: is UTF-16; convert it first: iconv -f UTF-16LE -t UTF-8"),
        (b"hello\nworld\n", "x.log: holds no numbers; name a log that prints steps and times"),
        (
            b"a 1\nb 2\n",
            "x.log: no line with numbers occurs 3 times; name a longer log, or write [table] by hand, "
            "see docs/how-to/read-a-table.md",
        ),
        (
            b"".join(b"2024-01-02 03:04:%02d closing process %d\n" % (i, 4711 + i) for i in range(9)),
            "x.log: no repeated line has an increasing step and a time, rate or timestamp; most frequent line: "
            '"2024-01-02 03:04:00 closing process 4711" (9 times); write [format] by hand, see docs/reference/formats/custom.md',
        ),
        (
            b"took 3 s\n" * 9,
            "x.log: no repeated line has an increasing step and a time, rate or timestamp; most frequent line: "
            '"took 3 s" (9 times); write [format] by hand, see docs/reference/formats/custom.md',
        ),
    ]
)
def test_a_log_without_a_pattern_is_an_error_that_says_why(log: bytes, message: str) -> None:
    with pytest.raises(RequestError) as error:
        learned(log)
    assert str(error.value) == message


def test_the_excerpt_is_the_first_three_steps_unchanged() -> None:
    found = learned(COLOURS)
    assert found.sample.count(b"\n") == 3
    assert b"\x1b[32m[rank0]" in found.sample
    assert json.loads(found.expected)["runs"][0]["steps"] == {"count": 3, "first": 1, "last": 3}
    assert learned(TQDM).sample.count(b"\r") == 3


def test_the_name_comes_from_the_file_and_avoids_known_formats() -> None:
    assert learned(SIZES, "my run (2).txt").name == "my-run-2"
    assert learned(SIZES, "timm.log").name == "timm-log"


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.log").write_text(PIPES)
    return Path("train.log")


def test_without_write_learn_only_prints_the_command_that_accepts(log: Path) -> None:
    out, err = call("learn", str(log))
    assert "100 of 101 lines match" in out
    assert "[format]\nname = 'train'\npattern = 'step (?P<step>" in out
    assert err == "accept with: reportgen learn train.log --write .\n"
    assert sorted(Path().iterdir()) == [log]


def test_write_makes_a_format_and_a_fixture_that_agrees_with_runs(log: Path) -> None:
    out, err = call("learn", str(log), "--write", ".")
    assert [line.split()[1] for line in out.splitlines() if line.startswith("new ")] == [
        "labels.toml", "train.expected.json", "train.sample.log",
    ]  # fmt: skip
    assert err == "next: reportgen runs train.log\n"
    (run,) = json.loads(call("runs", ".", "--format", "json")[0])["runs"]
    assert (run["id"], run["format"], run["steps"]["count"]) == ("train.log", "train", 100)
    assert call("runs", "train.sample.log", "--format", "json")[0] == Path("train.expected.json").read_text()


@pytest.mark.parametrize("name", ["labels.toml", "train.sample.log", "train.expected.json"])
def test_learn_overwrites_nothing(log: Path, name: str) -> None:
    Path(name).write_text("mine = 1\n" if name != "labels.toml" else "")
    before = sorted(Path().iterdir())
    assert (
        f"{name}: exists already; nothing is overwritten"
        in call("learn", str(log), "--write", ".", code=1)[1]
    )
    assert sorted(Path().iterdir()) == before


def test_a_folder_without_tables_has_nothing_to_write_and_a_missing_file_is_an_error(log: Path) -> None:
    assert call("learn", ".")[0] == "no table: 1 file: train.log; for a log: reportgen learn FILE\n"
    assert (
        error_of("learn", ".", "--write", ".")
        == ".: has no table to write; run learn without --write to see why"
    )
    assert "no such file or folder" in error_of("learn", "none.log")


PIECES = st.sampled_from(
    ["step ", "iter=", "Epoch [", "]", "/", " ms", "s/it", " it/s", "img/s", "time: ", "loss ", "|", "| ", "%", "(", ")",
     "\\", "'", '"', "*", "{2}", "^$", "\t", "  ", "\x1b[32m", "\x07", "\u2028", "█", "é", "tokens/sec: ", "\r", "?it/s", "\x0b", "\f"]
)  # fmt: skip
NUMBERS = st.sampled_from(
    [
        "{i}",
        "{i:5d}",
        "0.5",
        "1,234.5",
        "nan",
        "3e-4",
        "2024-01-02 03:04:{i:02d}",
        "00:{i:02d}",
        "1700000{i:03d}",
    ]
)


@given(st.lists(PIECES | NUMBERS, min_size=1, max_size=12), st.integers(3, 12))
def test_any_repeating_line_gives_a_format_that_reads_it_or_an_error(pieces: list[str], count: int) -> None:
    """What is proposed compiles, is TOML, matches every line that it was learned from and reads its own fixture."""
    line = "".join(
        piece if piece.startswith("{2") else piece.replace("{i", "{0") for piece in pieces
    ).replace("{2}", "{{2}}")
    log = "".join(line.format(i) + "\n" for i in range(1, count + 1)).encode()
    with suppress(RequestError):
        found = learned(log)
        table = tomllib.loads(found.toml)["format"]
        format_definition("x", table)
        assert found.matched >= count
        sample = LogFiles.of({"s.log": found.sample}, {"custom": table}).file("s.log")
        assert custom.claims(sample) is not None


@given(
    st.binary(max_size=400)
    | st.text(max_size=400).map(str.encode)
    | st.lists(PIECES | st.just("1") | st.just("\n"), max_size=80).map("".join).map(str.encode)
)
def test_any_content_gives_a_proposal_or_a_request_error(content: bytes) -> None:
    with suppress(RequestError):
        found = learned(content)
        format_definition("x", tomllib.loads(found.toml)["format"])
