"""Speed runs of nanoGPT: a cumulative clock, two kinds of lines, and the source of the program before them."""

import pytest

from reportgen.formats.detection import offer
from reportgen.protocol import Protocol, measure_run
from reportgen.sources.logfiles import LogFiles
from tests.builders import aggregate_of, read_log, rule_lines, series_of, step_rows
from tests.formats.valid_logs import MODDED_NANOGPT

TRAINED = b"step:%d/300 train_time:%dms step_avg:%sms\n"
VALIDATED = b"step:%d/300 val_loss:4.5 train_time:%dms step_avg:%sms\n"


def test_lines_with_a_validation_have_the_synchronised_time_of_the_steps_between_them():
    run = read_log("modded_nanogpt", MODDED_NANOGPT)
    synchronised = series_of(run, "step_time", "host_synchronized")
    assert step_rows(synchronised) == [(125, 125, 12.5, 125 * 524288), (250, 125, 12.0, 125 * 524288)]
    assert synchronised.line.tolist() == [9, 11]
    measured = measure_run(run, "step_time", "step", Protocol())
    assert measured is not None
    assert measured.value == pytest.approx(12.0 / 125)


def test_lines_of_training_are_not_synchronised():
    run = read_log("modded_nanogpt", MODDED_NANOGPT)
    host = series_of(run, "step_time", "host")
    assert step_rows(host) == [
        (2, 1, 0.1, 524288), (125, 123, 11.78, 123 * 524288), (250, 125, 12.0, 125 * 524288)]  # fmt: skip
    assert (host.rounding, host.rounded) == (0.0005, "elapsed")


def test_the_clock_of_the_last_validation_is_the_time_to_train():
    time = aggregate_of(read_log("modded_nanogpt", MODDED_NANOGPT), "time_to_train", statistic="total")
    assert (time.value, time.original, time.n, time.source.line) == (24.5, "24500 ms", 250, 11)


def test_a_run_that_is_not_whole_has_no_time_to_train():
    log = MODDED_NANOGPT.replace(b"/250 ", b"/500 ")
    assert read_log("modded_nanogpt", log).aggregates == ()


def test_the_head_has_the_factors_and_the_source_of_the_program_is_not_read():
    run = read_log("modded_nanogpt", MODDED_NANOGPT)
    assert run.factors == {"framework": "modded-nanogpt", "item": "token", "devices": 8, "seq_len": 1024,
                           "device": "NVIDIA H100 80GB HBM3"}  # fmt: skip
    assert run.samples_per_step == 524288
    assert rule_lines(run) == []


def test_a_clock_that_begins_again_at_step_10_gives_no_time_there():
    log = b"".join([TRAINED % (9, 9000, b"nan"), TRAINED % (10, 9100, b"nan"), TRAINED % (11, 100, b"nan"),
                    TRAINED % (12, 9500, b"nan"), TRAINED % (13, 300, b"100.00"), TRAINED % (14, 400, b"100.00"),
                    VALIDATED % (125, 11500, b"100.00"), VALIDATED % (250, 24000, b"100.00")])  # fmt: skip
    run = read_log("modded_nanogpt", log)
    assert [row[:3] for row in step_rows(series_of(run, "step_time"))] == [(14, 1, 0.1)]


def test_a_clock_that_falls_is_not_a_time():
    log = TRAINED % (1, 500, b"500.00") + TRAINED % (2, 90, b"45.00") + TRAINED % (3, 190, b"63.30")
    assert [row[:3] for row in step_rows(series_of(read_log("modded_nanogpt", log), "step_time"))] == [
        (3, 1, 0.1)
    ]


def test_lines_without_a_mean_are_read():
    log = b"step:1/20000 train_time:24ms\nstep:2/20000 train_loss:6.1 train_time:67ms\n"
    assert step_rows(series_of(read_log("modded_nanogpt", log), "step_time")) == [(2, 1, 0.043, -1)]


def test_one_synchronised_interval_does_not_replace_the_lines_of_training():
    """A run that validates at its beginning and at its end alone has no interval after the warm-up."""
    log = VALIDATED % (0, 0, b"0.03") + TRAINED % (1, 90, b"90.00") + TRAINED % (2, 180, b"90.00")
    run = read_log("modded_nanogpt", log + VALIDATED % (300, 29000, b"96.67"))
    assert [series.clock for series in run.series] == ["host"]


@pytest.mark.parametrize(("end", "status"), [
    (b"", "partial"),
    (b"stopping_early: wallclock_cap train_time:290ms step:3/300\n", "complete"),
])  # fmt: skip
def test_a_run_that_ends_early_is_partial_unless_it_says_that_its_time_was_up(end, status):
    log = b"".join(TRAINED % (step, 90 * step, b"90.00") for step in (1, 2, 3))
    assert read_log("modded_nanogpt", log + end).status == status


def test_a_log_with_a_long_source_is_recognised_by_its_end():
    """The source alone is longer than the head of the file."""
    source = b"print0(f'step:{step}/{steps} train_time:{time:.0f}ms')\n" + b"x = 1\n" * 20_000
    files = LogFiles.of({"x.txt": source + MODDED_NANOGPT + TRAINED % (251, 24700, b"98.41") * 2000})
    claimed = offer(files.file("x.txt"))
    assert claimed is not None
    assert (claimed.format.name, claimed.quote(is_named=False)) == ("modded_nanogpt", None)
