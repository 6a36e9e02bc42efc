"""HugeCTR's log: prefixes of three versions, and evaluations inside the printed times."""

from pathlib import Path

import pytest

from reportgen.load import load_runs
from tests.builders import line_rows, read_log, series_of


@pytest.mark.parametrize(
    "prefix",
    [
        "[HUGECTR][02:51:59][INFO][RANK0]: ",
        "[03d16h06m36s][HUGECTR][INFO]: ",
        "[HCTR][02:51:59.123][INFO][RK0][main]: ",
    ],
)
def test_every_prefix_is_read(prefix: str) -> None:
    content = "".join(
        f"{prefix}Iter: {step} Time(100 iters): {time}s Loss: 0.125152 lr:0.001000\n"
        for step, time in ((100, "0.315066"), (200, "2.203441"))
    )
    run = read_log("hugectr", content.encode())
    assert line_rows(series_of(run, "step_time", "printed")) == [
        (100, 100, 0.315066, 1),
        (200, 100, 2.203441, 2),
    ]


def log(*lines: tuple[str, str]) -> bytes:
    return "".join(f"[HUGECTR][{clock}][INFO][RANK0]: {text}\n" for clock, text in lines).encode()


def test_an_evaluation_is_subtracted_from_the_time_that_contains_it() -> None:
    run = read_log(
        "hugectr",
        log(
            ("23:59:26", "Iter: 50 Time(50 iters): 20.4s Loss: 0.5 lr:0.1"),
            ("23:59:43", "Eval Time for 70 iters: 17.2s"),
            ("00:00:03", "Iter: 100 Time(50 iters): 37.2s Loss: 0.5 lr:0.1"),
        ),
    )
    found = series_of(run, "step_time", "printed")
    assert [entry[2] for entry in line_rows(found)] == [20.4, 20.0]
    assert [(one.step, one.kind, one.duration) for one in found.breaks] == [(50, "evaluation", 17.2)]


def test_an_evaluation_outside_the_time_is_not_subtracted() -> None:
    run = read_log(
        "hugectr",
        log(
            ("23:59:26", "Iter: 50 Time(50 iters): 20.4s Loss: 0.5 lr:0.1"),
            ("23:59:43", "Eval Time for 70 iters: 17.2s"),
            ("00:00:23", "Iter: 100 Time(50 iters): 40.0s Loss: 0.5 lr:0.1"),
        ),
    )
    assert [entry[2] for entry in line_rows(series_of(run, "step_time", "printed"))] == [20.4, 40.0]


def test_a_record_without_a_step_is_left_out_and_reported() -> None:
    run = read_log(
        "hugectr",
        log(
            ("23:59:26", "Iter: 0 Time(1 iters): 0.4s Loss: 0.5 lr:0.1"),
            ("23:59:43", "Iter: 50 Time(50 iters): 20.4s Loss: 0.5 lr:0.1"),
        ),
    )
    assert line_rows(series_of(run, "step_time", "printed")) == [(50, 50, 20.4, 2)]
    (finding,) = run.findings
    assert (finding.rule, finding.message, finding.source.line) == (
        "read.malformed-line",
        "a record without a step",
        1,
    )


def test_the_last_line_gives_batch_and_total_and_the_header_devices() -> None:
    run = read_log(
        "hugectr",
        b"num_nodes = 2\ngpu_num_per_node = 8\n"
        + log(
            ("10:00:00", "Iter: 100 Time(100 iters): 0.3s Loss: nan lr:0.1"),
            ("10:00:01", "Finish 100 iterations with batchsize: 65536 in 0.35s."),
        ),
    )
    assert (run.samples_per_step, run.factors["batch_size"], run.factors["devices"]) == (65536, 4096, 16)
    (total,) = run.aggregates
    assert (total.metric, total.value, total.statistic) == ("time_to_train", 0.35, "total")


@pytest.mark.parametrize(
    "prefix", ["[HUGECTR][02:51:59][INFO][RANK0]: ", "[HCTR][02:51:59.123][INFO][RK0][main]: ", ""]
)
def test_listed_devices_are_counted(prefix: str) -> None:
    listed = "".join(f"{prefix}Device {number}: NVIDIA A40\n" for number in range(4))
    lines = log(
        ("10:00:00", "Iter: 100 Time(100 iters): 0.3s Loss: 0.1 lr:0.1"),
        ("10:00:01", "Finish 100 iterations with batchsize: 512 in 0.35s."),
    )
    run = read_log("hugectr", listed.encode() + lines)
    assert (run.factors["devices"], run.factors["device"], run.factors["batch_size"]) == (
        4,
        "NVIDIA A40",
        128,
    )
    # Two processes that do not say their ranks, or one that lists them again: their number is unknown.
    assert "devices" not in read_log("hugectr", 2 * listed.encode() + lines).factors
    ranks = listed + listed.replace("[RANK0]", "[RANK1]").replace("[RK0]", "[RK1]")
    expected = 8 if prefix else None
    assert read_log("hugectr", ranks.encode() + lines).factors.get("devices") == expected


def test_the_excerpt_of_the_corpus(corpus: Path) -> None:
    (run,) = load_runs([corpus / "dlperf" / "excerpts" / "hugectr_dlrm_excerpt.log"], root=corpus).runs
    found = series_of(run, "step_time", "printed")
    assert (len(found.step), int(found.step[-1]), run.samples_per_step) == (11, 550, 65536)
    # Worked out by hand from the lines of 100: 37.239699 - 17.182972.
    assert line_rows(found)[1] == (100, 50, 20.056727, 4)
    assert all(19.9 < value < 20.5 for value in found.value)
