"""NVIDIA's Transformer, as `fairseq/log_helper.py` of its example prints it."""

import pytest

from reportgen.core.model import Run
from tests.builders import read_all, read_log, rules, series_of, throughput_of

HEAD = b"Namespace(amp=True, arch='transformer_wmt_en_de_big_t2t', distributed_world_size=8, fp16=False, update_freq=[1])\n"


def line(
    step: int, walltime: float, rate: float = 250000.0, epoch: int = 0, tokens: float = 36000.5
) -> bytes:
    text = f"Transformer | epoch {epoch} | step {step} |avg loss 11.500 |avg weighted_loss 9.1 |avg tokens {tokens:.3f} "
    return f"{text}|tokens/s {rate:.3f} |updates/s 7.0 |avg gnorm 1.0 |walltime {walltime:.3f} |\n".encode()


def test_lines_are_intervals_by_the_walltime() -> None:
    run = read_log("transformer", HEAD + b"".join(line(10 * n, 20 + 1.5 * n) for n in range(1, 21)))
    assert run.factors == {"model": "Transformer", "item": "token", "precision": "amp", "devices": 8}
    times, rates = series_of(run, "step_time"), series_of(run, "throughput")
    assert (times.step.tolist()[:2], times.span.tolist()[:2]) == ([20, 30], [10, 10])
    assert times.value.tolist() == pytest.approx([1.5] * 19)
    assert (rates.step.tolist()[:2], rates.samples.tolist()[:1]) == ([10, 20], [360005.0])
    assert throughput_of(run) == pytest.approx(10 * 36000.5 / 1.5)
    assert (run.status, rules(run.findings)) == ("complete", [])


def test_the_time_between_epochs_is_declared_and_a_translation_is_not_a_step() -> None:
    lines = line(10, 21.5) + line(20, 23.0) + line(20, 23.1, 1.0)
    lines += b"| Translated 3000 sentences (86099 tokens) in 7.5s (402.05 sentences/s, 11538.61 tokens/s)\n"
    run = read_log("transformer", HEAD + lines + line(30, 60.0, epoch=1) + line(40, 61.5, epoch=1))
    times = series_of(run, "step_time")
    assert (times.step.tolist(), times.value.tolist()) == ([20, 30, 40], pytest.approx([1.5, 37.0, 1.5]))
    assert [border.step for border in times.breaks] == [20]


def test_a_second_run_in_the_file_is_another_run() -> None:
    lines = HEAD + b"".join(line(10 * n, 20 + 1.5 * n) for n in range(1, 9))
    assert [run.id for run in read_all("transformer", lines + lines) if isinstance(run, Run)] == [
        "x.log#1",
        "x.log#2",
    ]


def test_lines_of_other_programs_are_left_alone() -> None:
    run = read_log("transformer", line(10, 21.5) + line(20, 22.5)[:60] + b"\n" + line(30, 24.5))
    assert series_of(run, "step_time").span.tolist() == [20]
