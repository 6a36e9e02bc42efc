"""Campaigns in files: their cases, their errors, and how they continue after running out of memory."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from collectors import __main__
from collectors.launcher import launch
from collectors.workloads import bench, sweep
from tests.collectors.conftest import ROOT

pytestmark = pytest.mark.slow

CAMPAIGNS = sorted((ROOT / "collectors" / "workloads" / "campaigns").glob("*.toml"))
HEAD = 'logs = "logs/x"\nthreads = 1\nrepeats = 2\n'

#: Replaces a workload: batch sizes above 8 run out of memory.
STAND_IN = """
import json, os, pathlib
path = pathlib.Path(os.environ["REPORTGEN_RUN"], "run.json")
run = json.loads(path.read_text())
is_large = run["case"]["batch_size"] > 8
run["status"] = "out_of_memory" if is_large else "complete"
path.write_text(json.dumps(run))
raise SystemExit(is_large)
"""


def write_file(tmp_path, text, name="campaign.toml"):
    path = tmp_path / name
    path.write_text(text)
    return path


def table(**keys):
    return "[[workloads]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())


def sweep_from(path, logs=None):
    return sweep.make_sweep(sweep.read_sweep_file(path), logs)


def cases_of(path):
    return [job.case for job in sweep_from(path).campaign.jobs]


@pytest.fixture
def stand_in(monkeypatch):
    monkeypatch.setattr(bench, "missing_requirement", lambda options: "")
    monkeypatch.setattr(bench, "child_command", lambda *_: [sys.executable, "-S", "-c", STAND_IN])


def outcomes(logs):
    """Return (batch size, repeat, status) of all runs in the order of their start."""
    runs = [json.loads(path.read_text()) for path in logs.glob("*/r*/run.json")]
    runs.sort(key=lambda run: run["started_realtime_ns"])
    return [(run["case"]["batch_size"], run["repeat"], run["status"]) for run in runs]


# Files


def test_lists_are_combined_and_tables_are_added(tmp_path):
    tables = table(name="matmul", matrix_size=[64, 128], precision=["fp32", "bf16"])
    tables += table(
        name=["roberta-base", "roberta-large"], seq_len=128, batch_size=[1, 8], compile=[False, True]
    )
    cases = cases_of(write_file(tmp_path, HEAD + tables))
    assert len(cases) == 4 + 8
    sizes = [(case["precision"], case["matrix_size"]) for case in cases[:4]]
    assert sizes == [("fp32", 64), ("fp32", 128), ("bf16", 64), ("bf16", 128)]
    assert {case["compile"] for case in cases[4:]} == {False, True}


def test_keys_at_the_top_are_defaults_of_all_tables(tmp_path):
    tables = table(name="matmul", matrix_size=64) + table(name="matmul", matrix_size=64, precision="bf16")
    cases = cases_of(write_file(tmp_path, 'precision = "fp16-amp"\n' + HEAD + tables))
    assert [case["precision"] for case in cases] == ["fp16-amp", "bf16"]


def test_json_and_toml_are_equivalent(tmp_path):
    toml = write_file(tmp_path, "seed = 3\n" + HEAD + table(name="matmul", matrix_size=[8, 16]))
    content = {
        "logs": "logs/x",
        "seed": 3,
        "threads": 1,
        "repeats": 2,
        "workloads": [{"name": "matmul", "matrix_size": [8, 16]}],
    }
    assert sweep_from(write_file(tmp_path, json.dumps(content), "a.json"))[:2] == sweep_from(toml)[:2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("logs = ", "Invalid value"),
        (HEAD, "workloads: not a list of tables; write [[workloads]] with a name"),
        (table(name="matmul"), 'no logs; write logs = "logs/<campaign>", or use --logs'),
        (HEAD + "[[workloads]]\nprecision = 'fp32'", "workloads[0]: no name; add the name of a workload"),
        (HEAD + table(name="resnet"), "workloads[0]: NAME: invalid choice: 'resnet'"),
        (
            HEAD + table(name="matmul") + table(name="resnet50", batchsize=8),
            "workloads[1]: no option batchsize; did you mean batch_size?",
        ),
        (HEAD + table(name="resnet50", precision="fp8"), "workloads[0]: precision: invalid choice: 'fp8'"),
        (HEAD + table(name="matmul", batch_size=8), "workloads[0]: matmul: has no option --batch-size"),
        (HEAD + table(name="resnet50", batch_size=0), "workloads[0]: batch_size: 0: not a count"),
        (HEAD + table(name="resnet50", batch_size=[]), "workloads[0]: batch_size: empty list"),
        (HEAD + table(name="resnet50", batch_size=[[8]]), "workloads[0]: batch_size: [8] is not allowed"),
        (
            HEAD + table(name="matmul", repeats=3),
            "workloads[0]: repeats: applies to all tables; move it to the top of the file",
        ),
        (HEAD + table(name="matmul", here=True), "workloads[0]: no option here"),
        (
            HEAD + table(name="bert-base", batch_size=[1, 8]) + table(name="bert-base", batch_size=8),
            "workloads[1] and workloads[0] have the same case model=bert_base,seq_len=128,batch_size=8",
        ),
        (
            "skip_after_oom = 1\n" + HEAD + table(name="matmul"),
            "skip_after_oom: 1 is not a boolean; use true or false",
        ),
        ("seed = -1\n" + HEAD + table(name="matmul"), "seed: -1 is not a seed; use a number of 0 or more"),
        ("seed = true\n" + HEAD + table(name="matmul"), "seed: True is not a seed"),
    ],
)
def test_errors_name_their_place_in_the_file(text, message, tmp_path, capsys):
    path = write_file(tmp_path, text)
    assert __main__.main(["sweep", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"reportgen: {path}: ")
    assert message in error


@pytest.mark.parametrize(("text", "message"), [("{", "Expecting property name"), ("[1]", "not an object")])
def test_broken_json_is_an_error(text, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        sweep_from(write_file(tmp_path, text, "campaign.json"))


def test_without_tomllib_the_error_suggests_json(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tomllib", None)
    with pytest.raises(
        ValueError, match=r"TOML needs Python 3.11; use Python 3.11, or write the file as JSON"
    ):
        sweep_from(write_file(tmp_path, HEAD))


def test_a_missing_file_is_an_error_and_not_a_traceback(tmp_path, capsys):
    assert __main__.main(["sweep", str(tmp_path / "none.toml")]) == 1
    assert "none.toml: no such file; for examples see " in capsys.readouterr().err


def test_missing_requirements_are_reported_before_the_first_run(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench, "missing_requirement", lambda options: "torch is not installed")
    path = write_file(tmp_path, HEAD + table(name="matmul"))
    assert __main__.main(["sweep", str(path), "--logs", str(tmp_path / "logs")]) == 1
    assert f"{path}: matmul: torch is not installed" in capsys.readouterr().err
    assert not (tmp_path / "logs").exists()


# The campaigns that come along


@pytest.mark.parametrize("path", CAMPAIGNS, ids=lambda path: path.stem)
def test_the_included_campaigns_can_be_planned(path, capsys):
    assert __main__.main(["sweep", str(path), "--dry-run"]) == 0
    assert " 7 repeats each" in capsys.readouterr().out


def test_each_founding_study_has_a_campaign():
    assert [path.stem for path in CAMPAIGNS] == ["bert-base", "flux", "precisions", "resnet50", "roberta"]


def test_the_roberta_campaign_has_all_published_cases():
    (path,) = (path for path in CAMPAIGNS if path.stem == "roberta")
    cases = [case for case in cases_of(path) if "seq_len" in case]
    assert len(cases) == 3 * 3 * 6


# Running


def test_a_dry_run_counts_complete_runs_and_runs_nothing(tmp_path, stand_in, capsys):
    path = write_file(tmp_path, HEAD + table(name="roberta-tiny", batch_size=[4, 8], num_workers=0))
    line = ["sweep", str(path), "--logs", str(tmp_path / "logs")]
    assert __main__.main([*line, "--dry-run"]) == 0
    assert not (tmp_path / "logs").exists()
    assert (
        capsys.readouterr().out.splitlines()[0].endswith("2 cases, 2 repeats each: 4 runs to do, 0 complete")
    )
    assert __main__.main(line) == 0
    capsys.readouterr()
    assert __main__.main([*line, "--dry-run"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path / 'logs'}: 2 cases, 2 repeats each: 0 runs to do, 4 complete",
        "every case: model=roberta-tiny seq_len=128 precision=fp32 compile=false devices=1 num_workers=0 "
        "device=CPU threads=1",
        "runs and case (a round has one run of each incomplete case, in an order that is drawn):",
        "   0  batch_size=4",
        "   0  batch_size=8",
    ]
    assert __main__.main([*line, "--dry-run", "--again"]) == 0
    assert "4 runs to do, 4 complete" in capsys.readouterr().out


def test_cases_are_run_in_rounds_and_out_of_memory_counts_as_a_result(tmp_path, stand_in):
    path = write_file(tmp_path, HEAD + table(name="roberta-tiny", batch_size=[16, 4]))
    logs = tmp_path / "logs"
    assert __main__.main(["sweep", str(path), "--logs", str(logs)]) == 0
    ran = outcomes(logs)
    assert sorted(ran[:2]) == [(4, 1, "complete"), (16, 1, "out_of_memory")]
    assert sorted(ran[2:]) == [(4, 2, "complete"), (16, 2, "out_of_memory")]
    assert __main__.main(["sweep", str(path), "--logs", str(logs)]) == 0
    assert outcomes(logs) == ran  # nothing is left to do


def test_the_order_within_rounds_is_drawn_from_a_recorded_seed(tmp_path, stand_in):
    tables = table(name="roberta-tiny", batch_size=[1, 2, 3, 4])
    path = write_file(tmp_path, "seed = 11\n" + HEAD + tables)
    orders = []
    for name, options, seed in (("a", [], 11), ("b", [], 11), ("c", ["--seed", "12"], 12)):
        logs = tmp_path / name
        assert __main__.main(["sweep", str(path), "--logs", str(logs), *options]) == 0
        runs = [json.loads(file.read_text()) for file in logs.glob("*/r*/run.json")]
        assert {(run["round"], run["order_seed"]) for run in runs} == {(1, seed), (2, seed)}
        assert all(run["round"] == run["repeat"] for run in runs)
        orders.append([size for size, _, _ in outcomes(logs)])
        assert json.loads((logs / "sweep.jsonl").read_text().splitlines()[0])["order_seed"] == seed
    first, second = orders[0][:4], orders[0][4:]
    assert sorted(first) == sorted(second) == [1, 2, 3, 4]
    assert first != second
    assert orders[0] == orders[1] != orders[2]


def test_a_seed_is_drawn_if_none_is_given(tmp_path):
    path = write_file(tmp_path, HEAD + table(name="matmul"))
    assert len({sweep_from(path).campaign.seed for _ in range(4)}) > 1


def test_larger_batches_are_skipped_on_request_with_a_message(tmp_path, stand_in, capsys):
    sizes = table(name="roberta-tiny", batch_size=[4, 16, 64], seq_len=[64, 128])
    path = write_file(tmp_path, "skip_after_oom = true\n" + HEAD + sizes)
    logs = tmp_path / "logs"
    assert __main__.main(["sweep", str(path), "--logs", str(logs)]) == 0
    ran = outcomes(logs)
    assert sorted(run for run in ran if run[0] == 4) == [(4, 1, "complete")] * 2 + [(4, 2, "complete")] * 2
    large = [run for run in ran if run[0] > 4]
    assert set(large) <= {(16, 1, "out_of_memory"), (64, 1, "out_of_memory")}  # never a second repeat
    events = [json.loads(line) for line in (logs / "sweep.jsonl").read_text().splitlines()]
    skipped = events[1:-1]
    assert [event["event"] for event in (events[0], events[-1])] == ["begin", "end"]
    assert (events[0]["file"], events[0]["cases"], events[-1]["exit_code"]) == ("campaign.toml", 6, 0)
    assert len(large) + len(skipped) == 8
    for event in skipped:
        assert event["event"] == "skipped"
        reasons = [
            f"out of memory with batch_size {size}"
            for size in (16, 64)
            if size <= event["case"]["batch_size"]
        ]
        assert event["reason"] in reasons
    assert capsys.readouterr().err.count("skipped, out of memory with batch_size") == len(skipped)


def test_a_batch_that_also_completed_does_not_skip_larger_ones(tmp_path, stand_in):
    path = write_file(tmp_path, HEAD + table(name="roberta-tiny", batch_size=[16, 64]))
    logs = tmp_path / "logs"
    campaign = sweep_from(path, logs).campaign
    launch.run_campaign(campaign._replace(repeats=1))
    large = campaign.jobs[1]
    assert sweep.out_of_memory_reason(campaign, large) == "out of memory with batch_size 16"
    for run in logs.glob("*/r1/run.json"):
        run.write_text(run.read_text().replace("out_of_memory", "complete"))
    assert sweep.out_of_memory_reason(campaign, large) == ""


def test_other_failures_set_the_exit_code_and_are_repeated(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "missing_requirement", lambda options: "")
    monkeypatch.setattr(
        bench, "child_command", lambda *_: [sys.executable, "-S", "-c", "raise SystemExit(3)"]
    )
    path = write_file(tmp_path, "repeats = 1\n" + table(name="roberta-tiny"))
    for count in (1, 2):
        assert __main__.main(["sweep", str(path), "--logs", str(tmp_path / "logs")]) == 3
        assert len(outcomes(tmp_path / "logs")) == count


def test_a_campaign_of_real_workloads_continues_after_out_of_memory(tmp_path, warm_torch):
    text = "steps = 2\nthreads = 1\nrepeats = 1\n" + table(name="matmul", matrix_size=[10**7, 8])
    path, logs = write_file(tmp_path, text), tmp_path / "logs"
    line = [warm_torch, "-m", "collectors", "sweep", path, "--logs", logs]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert ": out_of_memory, RuntimeError" in done.stderr
    runs = [json.loads(path.read_text()) for path in logs.glob("*/r1/run.json")]
    results = {run["case"]["matrix_size"]: (run["status"], run["exit_code"]) for run in runs}
    assert results == {10**7: ("out_of_memory", 1), 8: ("complete", 0)}


def test_help_starts_with_an_example():
    line = [sys.executable, "-m", "collectors", "sweep", "--help"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: python -m collectors sweep roberta.toml --dry-run")
