"""The callbacks with the real frameworks, on CPU: steps of the optimizer, with their actual samples."""

import itertools
import json
import os
import pickle
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from collectors import Recorder
from collectors.integrations.hooks import count_samples
from reportgen.load import load_runs
from tests import warm
from tests.collectors.second_reader import read

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]
SAMPLES = 10


@pytest.fixture(autouse=True)
def one_thread():
    """Threads slow tiny models down, especially on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def ranks(folder):
    result = read(folder)
    assert result["findings"] == []
    assert result["run"]["status"] == "complete"
    return result["run"]["ranks"]["0"]


def work():
    """Compute for some milliseconds, so that the steps are as long as short real ones."""
    matrix = torch.ones(300, 300)
    for _ in range(20):
        matrix @ matrix


def assert_agree(steps, ends):
    """Compare each step but the first with the time between two ends by a clock of the test's own."""
    own = [end - begin for begin, end in itertools.pairwise(ends)]
    ratios = [step / true for step, true in zip(steps[1:], own, strict=True)]
    assert statistics.median(ratios) == pytest.approx(1, abs=0.005)
    assert len(ratios) >= 20


def only_run(folder):
    (path,) = folder.glob("*/r*")
    return path


def dataset():
    return torch.utils.data.TensorDataset(torch.arange(SAMPLES * 4.0).reshape(SAMPLES, 4))


@pytest.mark.parametrize("workers", [0, 2])
def test_the_wait_for_a_data_loader_is_a_phase(tmp_path, workers):
    loader = torch.utils.data.DataLoader(list(range(12)), batch_size=4, num_workers=workers)
    with Recorder.start(logs=tmp_path, samples_per_step=4) as recorder:
        seen = [batch.tolist() for batch in recorder.steps(loader)]
    assert seen == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    columns = ranks(recorder.folder)["columns"]
    pairs = zip(columns["data_loading/host"], columns["step/host"], strict=True)
    assert [0 < wait <= step for wait, step in pairs] == [True] * 3


@pytest.mark.parametrize(
    ("batch", "count"),
    [
        (torch.zeros(3, 2), 3),
        ([torch.zeros(3, 2), torch.zeros(5)], 3),
        ({"length": 7, "image": torch.zeros(4)}, 4),
        (("text", {"inner": [torch.zeros(2)]}), 2),
        (torch.tensor(1.0), None),
        ("text", None),
        ([], None),
    ],
)
def test_samples_of_a_batch_are_the_length_of_its_first_tensor(batch, count):
    assert count_samples(batch) == count


@pytest.fixture
def module():
    lightning = pytest.importorskip("lightning.pytorch")

    class Module(lightning.LightningModule):
        fails_at = None

        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)

        def training_step(self, batch, number):
            if number == self.fails_at:
                raise MemoryError
            return self.layer(batch[0]).sum()

        def validation_step(self, batch, number):
            self.layer(batch[0])

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.001)

        def train_dataloader(self):
            return torch.utils.data.DataLoader(dataset(), batch_size=3)

        val_dataloader = train_dataloader

    return Module()


def fit(module, folder, **options):
    from lightning.pytorch import Trainer

    from collectors.integrations.lightning import RecordSteps

    callback = RecordSteps(logs=folder, item="row", case={"model": "linear"})
    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
    quiet.update(accelerator="cpu", enable_model_summary=False, default_root_dir=folder)
    trainer = Trainer(callbacks=[callback], max_epochs=2, **quiet, **options)
    trainer.fit(module)
    return callback


def test_lightning_steps_have_phases_and_exclude_validation(tmp_path, module):
    callback = fit(module, tmp_path)
    rank = ranks(callback.recorder.folder)
    assert rank["samples"] == [3, 3, 3, 1] * 2
    assert [pause[:2] for pause in rank["breaks"]] == [
        ["setup", 0],
        ["evaluation", 4],
        ["epoch", 4],
        ["evaluation", 8],
    ]
    columns = rank["columns"]
    phases = ["data_loading/host", "forward/host", "backward/host", "optimizer/host"]
    assert sorted(columns) == sorted(["step/host", *phases])
    for step, *parts in zip(columns["step/host"], *(columns[name] for name in phases), strict=True):
        assert all(part > 0 for part in parts)
        assert sum(parts) <= step
    (run,) = load_runs([callback.recorder.folder], root=tmp_path).runs
    assert (run.factors["model"], run.factors["item"]) == ("linear", "row")


def test_lightning_steps_take_the_time_of_an_independent_clock(tmp_path, module):
    ends = []

    def training_step(batch, batch_idx):
        work()
        return module.layer(batch[0]).sum()

    module.training_step = training_step
    module.on_train_batch_end = lambda *_: ends.append(time.perf_counter_ns())
    module.train_dataloader = lambda: torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(torch.ones(30, 4))
    )
    callback = fit(module, tmp_path, limit_val_batches=0)
    rank = ranks(callback.recorder.folder)
    assert [name for name, *_ in rank["breaks"]] == ["setup", "epoch"]
    steps = rank["columns"]["step/host"]
    assert_agree(steps[:30], ends[:30])
    assert_agree(steps[30:], ends[30:])


def test_a_lightning_step_is_a_step_of_the_optimizer(tmp_path, module):
    callback = fit(module, tmp_path, accumulate_grad_batches=2, limit_val_batches=0)
    rank = ranks(callback.recorder.folder)
    assert rank["samples"] == [6, 4] * 2
    assert all(value > 0 for value in rank["columns"]["optimizer/host"])


def test_a_lightning_step_that_validation_interrupts_is_discarded(tmp_path, module):
    callback = fit(module, tmp_path, accumulate_grad_batches=2, val_check_interval=1)
    assert ranks(callback.recorder.folder)["samples"] == [3, 1] * 2


def test_an_exception_in_lightning_ends_the_run(tmp_path, module):
    module.fails_at = 2
    with pytest.raises(MemoryError):
        fit(module, tmp_path, limit_val_batches=0)
    run = read(only_run(tmp_path))["run"]
    assert run["status"] == "out_of_memory"
    assert run["ranks"]["0"]["steps"] == [1, 2]


@pytest.fixture
def fabric():
    pytest.importorskip("lightning.fabric")
    from lightning.fabric import Fabric

    def make(*callbacks):
        fabric = Fabric(accelerator="cpu", devices=1, callbacks=list(callbacks))
        layer = torch.nn.Linear(4, 1)
        model, optimizer = fabric.setup(layer, torch.optim.SGD(layer.parameters(), 0.001))
        loader = fabric.setup_dataloaders(torch.utils.data.DataLoader(dataset(), batch_size=3))

        def train(batch):
            fabric.backward(model(batch[0]).sum())
            optimizer.step()
            optimizer.zero_grad()

        return loader, train

    return make


def test_a_loader_of_fabric_is_recorded(tmp_path, fabric):
    loader, train = fabric()
    with Recorder.start(logs=tmp_path) as recorder:
        for batch in recorder.steps(loader):
            train(batch)
    assert len(ranks(recorder.folder)["columns"]["data_loading/host"]) == 4


def test_the_fabric_callback_does_not_record_the_first_step(tmp_path, fabric):
    from collectors.integrations.lightning import RecordFabricSteps

    callback = RecordFabricSteps(logs=tmp_path, samples_per_step=3)
    loader, train = fabric(callback)
    for batch in loader:
        train(batch)
    callback.recorder.close()
    assert ranks(callback.recorder.folder)["steps"] == [1, 2, 3]


def test_callbacks_can_be_pickled_and_unknown_names_raise():
    from collectors.integrations import huggingface, lightning

    for module in (lightning, huggingface):
        assert type(pickle.loads(pickle.dumps(module.RecordSteps(item="x")))) is module.RecordSteps
        with pytest.raises(AttributeError, match="RecordStep'"):
            getattr(module, "Record" + "Step")


def hf_train(folder, *callbacks, **options):
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    from collectors.integrations.huggingface import RecordSteps

    config = transformers.BertConfig(
        vocab_size=50, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8
    )
    rows = [{"input_ids": torch.full((5,), number), "labels": 0} for number in range(SAMPLES)]
    callback = RecordSteps(logs=folder / "logs", item="sequence")
    arguments = transformers.TrainingArguments(
        output_dir=str(folder / "out"),
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
        logging_strategy="no",
        **{"save_strategy": "no", "per_device_train_batch_size": 3, "num_train_epochs": 2, **options},
    )
    trainer = transformers.Trainer(
        model=transformers.BertForSequenceClassification(config),
        args=arguments,
        train_dataset=rows,
        eval_dataset=rows[:2],
        callbacks=[callback, *callbacks],
    )
    trainer.train()
    return only_run(folder / "logs")


def test_the_transformers_callback_counts_actual_samples_and_tokens(tmp_path):
    folder = hf_train(tmp_path, eval_strategy="epoch", save_strategy="epoch")
    rank = ranks(folder)
    assert rank["samples"] == [3, 3, 3, 1] * 2
    text = next(folder.glob("steps*")).read_text()
    assert "step,tokens,samples," in text
    assert "\n4,5,1," in text
    names = [pause[:2] for pause in rank["breaks"]]
    assert names[:4] == [["setup", 0], ["evaluation", 4], ["checkpoint", 4], ["epoch", 4]]
    phases = ["data_loading/host", "forward_backward/host", "optimizer/host"]
    assert sorted(rank["columns"]) == sorted([*phases, "step/host"])
    for step, *parts in zip(
        rank["columns"]["step/host"], *(rank["columns"][name] for name in phases), strict=True
    ):
        assert all(part > 0 for part in parts)
        assert sum(parts) <= step
    assert json.loads((folder / "run.json").read_text())["samples_per_step"] == 3


def test_transformers_steps_take_the_time_of_an_independent_clock(tmp_path):
    transformers = pytest.importorskip("transformers")
    ends = []

    class Clock(transformers.TrainerCallback):
        def on_pre_optimizer_step(self, *_, **__):
            work()

        def on_step_end(self, *_, **__):
            ends.append(time.perf_counter_ns())

    folder = hf_train(tmp_path, Clock(), per_device_train_batch_size=1, num_train_epochs=3)
    rank = ranks(folder)
    steps = rank["columns"]["step/host"]
    # The time between epochs is a break: the first step of an epoch has no end before it.
    epochs = [
        (steps[first : first + SAMPLES], ends[first : first + SAMPLES]) for first in range(0, 30, SAMPLES)
    ]
    own = [0] + [end - begin for _, each in epochs for begin, end in itertools.pairwise(each)]
    assert_agree([0] + [step for each, _ in epochs for step in each[1:]], list(itertools.accumulate(own)))


def test_a_transformers_step_is_a_step_of_the_optimizer(tmp_path):
    assert ranks(hf_train(tmp_path, gradient_accumulation_steps=2))["samples"] == [6, 4] * 2


TWO_PROCESSES = """
import torch
from lightning import pytorch as lightning
from collectors.integrations.lightning import RecordSteps

class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, number):
        return self.layer(batch[0]).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(64, 4)), batch_size=4)
callbacks = [RecordSteps(item="image")]
lightning.Trainer(
    accelerator="cpu", devices=2, strategy="ddp", max_epochs=1, callbacks=callbacks, **quiet
).fit(Model(), loader)
"""


def test_processes_that_lightning_starts_itself_are_ranks_of_one_run(tmp_path):
    pytest.importorskip("lightning")
    (tmp_path / "train.py").write_text(TWO_PROCESSES)
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    with warm.python("lightning.pytorch") as python:
        line = [sys.executable, "-m", "collectors", "run", "--logs", "logs", "--", python, "train.py"]
        done = subprocess.run(line, cwd=tmp_path, env=environ, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    result = read(tmp_path / "logs" / "unnamed" / "r1")
    assert result["findings"] == []
    assert {rank: len(entry["steps"]) for rank, entry in result["run"]["ranks"].items()} == {"0": 8, "1": 8}
