"""Labels that read factors from file names give a throughput to logs that print only times."""

from pathlib import Path

import pytest

from reportgen.load import load_runs
from reportgen.protocol import Protocol, measure_run

LABELS = """\
[[paths]]
pattern = "{nodes:int}n{devices_per_node:int}g/{model}_b{batch_size:int}_{precision}_{repeat:int}.log"
"""
LINE = "[Pass 0, train batch {}] \tloss 7.0, elapse 0.5000 sec\n"


def read(tmp_path: Path, name: str, labels: str = LABELS, head: str = ""):
    path = tmp_path / "logs" / name
    path.parent.mkdir(parents=True)
    path.write_text(head + "".join(LINE.format(i) for i in range(120)))
    if labels:
        (tmp_path / "logs" / "labels.toml").write_text(labels)
    (run,) = load_runs(["logs"], root=tmp_path).runs
    return run


@pytest.mark.parametrize(
    ("name", "nodes", "devices", "model", "batch", "repeat"),
    [
        ("1n1g/rn50_b128_fp32_1.log", 1, 1, "rn50", 128, 1),
        ("4n8g/bert-base-adam-training_b96_fp16_5.log", 4, 32, "bert-base-adam-training", 96, 5),
        ("16n16g/bert_base_b32_amp_12.log", 16, 256, "bert_base", 32, 12),
    ],
)
def test_file_names_of_dlperf_become_factors(
    tmp_path: Path, name: str, nodes: int, devices: int, model: str, batch: int, repeat: int
) -> None:
    run = read(tmp_path, name)
    factors = run.factors
    assert (factors["nodes"], factors["devices"], factors["model"], factors["batch_size"], run.repeat) == (
        nodes,
        devices,
        model,
        batch,
        repeat,
    )
    assert run.samples_per_step == batch * devices
    measured = measure_run(run, "throughput", "step", Protocol())
    assert measured is not None
    assert measured.value == pytest.approx(batch * devices / 0.5)


def test_file_names_without_labels_give_known_settings_only(tmp_path: Path) -> None:
    run = read(tmp_path, "1n8g/rn50_b128_fp32_1.log", labels="")
    assert run.factors == {"framework": "PaddlePaddle", "item": "image", "precision": "fp32"}
    assert (run.repeat, run.samples_per_step) == (None, None)
    assert measure_run(run, "throughput", "step", Protocol()) is None


def test_devices_of_the_name_are_compared_with_those_of_the_log(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "2n8g" / "wdl_b64_fp32_1.log"
    path.parent.mkdir(parents=True)
    path.write_text(
        "num_nodes = 1\ngpu_num_per_node = 8\n[HUGECTR][10:00:00][INFO][RANK0]: "
        "Iter: 100 Time(100 iters): 0.3s Loss: 0.1\n"
    )
    (tmp_path / "logs" / "labels.toml").write_text(LABELS)
    (run,) = load_runs(["logs"], root=tmp_path).runs
    assert (run.factors["devices"], run.factors["nodes"]) == (8, 1)
    assert sorted(f.message.split(":")[0] for f in run.findings if f.rule == "read.label-conflict") == [
        "devices",
        "nodes",
    ]


def test_accumulated_batches_are_work_of_a_step(tmp_path: Path) -> None:
    labels = "[constants]\ngradient_accumulation_steps = 704\n" + LABELS
    assert read(tmp_path, "1n8g/bert_b96_fp16_1.log", labels).samples_per_step == 96 * 8 * 704
