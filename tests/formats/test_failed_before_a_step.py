"""A log that has only the head of a program and an error is a failed run of that program.

The heads have the lines that the programs print before their first step; names and numbers are invented.
"""

import pytest

from reportgen.formats.detection import offer
from reportgen.sources.logfiles import LogFiles
from tests.each_of import each_row

OUT_OF_MEMORY = b"""\
Traceback (most recent call last):
  File "train.py", line 660, in <module>
    main()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.53 GiB.
"""
CRASH = b'Traceback (most recent call last):\n  File "train.py", line 7, in <module>\nKeyError: 3\n'

PLAN = b"""\
%s***** Running training *****
%s  Num examples = 4,000
%s  Instantaneous batch size per device = 16
%s  Total train batch size (w. parallel, distributed & accumulation) = 32
%s  Gradient Accumulation steps = 1
%s  Total optimization steps = 125
"""
TRAINER = PLAN.replace(b"%s", b"[INFO|trainer.py:2128] 2026-01-02 10:00:00,100 >> ")
LOGGED = PLAN.replace(b"%s", b"01/02/2026 10:00:00 - INFO - transformers.trainer -   ")
BARE = PLAN.replace(b"%s", b"")
IN_TRAINER = (
    b'  File "/x/site-packages/transformers/trainer.py", line 1539, in train\n    return inner_training_loop('
)

HEADS = [
    ("hf_trainer", TRAINER, {"batch_size": 16, "devices": 2}),
    ("hf_trainer", LOGGED, {"batch_size": 16, "devices": 2}),
    ("hf_trainer", BARE + IN_TRAINER + b"\n", {"batch_size": 16, "devices": 2}),
    (
        "timm",
        b"Training with a single process on 1 device (cuda:0).\nModel vit_b created, param count:86567656\n"
        b"Scheduled epochs: 300. LR stepped per epoch.\n",
        {"model": "vit_b", "devices": 1},
    ),
    (
        "timm",
        b"Training in distributed mode with multiple processes, 1 GPU per process. Process 1, total 4.\n"
        b"Model vit_b created, param count:86567656\n",
        {"devices": 4},
    ),
    (
        "llmc",
        b"| device                | NVIDIA A40     |\n| weight init method    | d12            |\n"
        b"batch_size B=64 * seq_len T=1024 * num_processes=8 and total_batch_size=524288\n",
        {"model": "d12", "device": "NVIDIA A40", "micro_batch_size": 64},
    ),
    (
        "nanogpt",
        b"tokens per iteration will be: 491,520\nInitializing a new model from scratch\n"
        b"number of parameters: 123.59M\n",
        {"framework": "nanoGPT"},
    ),
    ("nanochat", b"Tokens / micro-batch / rank: 32 x 2048 = 65,536\n", {"micro_batch_size": 32}),
    (
        "modded_nanogpt",
        b"world_size:8 grad_accum_steps:1\ntrain_batch_tokens:524288 train_seq_len:1024\n",
        {},
    ),
    (
        "fairseq",
        b"2026-01-02 10:10:00 | INFO | fairseq_cli.train | Namespace(arch='transformer', fp16=True)\n",
        {"model": "transformer"},
    ),
    (
        "yolox",
        b"2026-01-02 10:11:00 | INFO     | yolox.core.trainer:130 - args: Namespace(batch_size=64, devices=4,"
        b" experiment_name='yolox_s', fp16=True, num_machines=1)\n",
        {"model": "yolox_s", "devices": 4, "batch_size": 16},
    ),
    (
        "torchtune",
        b"INFO:torchtune.utils._logging:Running FullFinetuneRecipe with resolved config:\nbatch_size: 2\n",
        {},
    ),
    (
        "torchvision",
        b"Loading validation data\nCreating data loaders\nCreating model\nStart training\n",
        {"framework": "torchvision"},
    ),
    (
        "detectron2",
        b"[01/02 10:00:00 d2.utils.env]: Using a generated random seed 3\n"
        b"[01/02 10:00:09 d2.engine.train_loop]: Starting training from iteration 0\n",
        {"item": "image"},
    ),
    ("maxtext", b"Config param per_device_batch_size: 12.0\nConfig param steps: 30\n", {}),
    ("nemo", b"[NeMo I 2026-01-02 10:00:00 exp_manager:394] Experiments will be logged at /x\n", {}),
    ("verl", b"(TaskRunner pid=77) {'actor_rollout_ref': {'actor': {'clip_ratio': 0.2}}}\n", {}),
    (
        "olmo",
        b"2026-01-02 12:00:00\tnode:0\tolmo_core.train.trainer:114\tINFO\tTraining for 1000 steps\n",
        {},
    ),
    (
        "pytorch_examples",
        b"=> creating model 'resnet50'\nTraceback (most recent call last):\n"
        b'  File "main.py", line 210, in main_worker\n',
        {"model": "resnet50"},
    ),
    (
        "insightface",
        b"Training: 2026-01-02 07:08:09,415-: network                  r100\n"
        b"Training: 2026-01-02 07:08:09,415-: batch_size               512\n",
        {"model": "r100", "batch_size": 512},
    ),
    ("hugectr", b"[HUGECTR][23:59:59][INFO][RANK0]: Global seed is 1\ngpu_num_per_node = 8\n", {}),
    (
        "oneflow",
        b"model = resnet50\nbatch_size_per_device = 512\ngpu_num_per_node = 8\nnum_nodes = 1\n"
        b'  File "/x/oneflow/nn/graph.py", line 3, in launch\n',
        {"model": "resnet50", "batch_size": 512, "devices": 8},
    ),
    (
        "torchtitan",
        b"[rank0]:[titan] 2026-01-02 10:00:01,000 - root - INFO - CUDA capacity: H200 with 139.81GiB memory\n",
        {"device": "H200"},
    ),
    ("megatron", b"using world size: 8, data-parallel size: 8, tensor-model-parallel size: 1\n", {}),
]


def read_offered(content):
    """Return the only run of a log, whose format is found as it is in a folder."""
    claimed = offer(LogFiles.of({"x.log": content}).file("x.log"))
    assert claimed
    assert not claimed.quote(is_named=False)
    (run,) = claimed.format.read(claimed.files)
    return run


@pytest.mark.parametrize(("name", "head", "factors"), HEADS)
@pytest.mark.parametrize(("error", "status"), [(OUT_OF_MEMORY, "out_of_memory"), (CRASH, "failed")])
def test_a_head_and_an_error_are_a_failed_run(name, head, factors, error, status):
    run = read_offered(head + error)
    assert (run.format, run.status, run.series, run.aggregates) == (name, status, (), ())
    assert run.factors.items() >= factors.items()


def test_the_error_may_follow_long_output():
    head = TRAINER.replace(b"trainer.py", b"hf_trainer.py") + b"a warning of a library\n" * 2000
    assert read_offered(head + OUT_OF_MEMORY).status == "out_of_memory"
    timm = next(head for name, head, _ in HEADS if name == "timm")
    assert read_offered(timm + b"a warning of a library\n" * 2000 + OUT_OF_MEMORY).status == "out_of_memory"


@pytest.mark.parametrize(
    "after",
    [
        b"CUDA kernel errors might be asynchronously reported.\nCompile with `TORCH_USE_CUDA_DSA` to enable it.\n",
        b"wandb: Run history:\n\n",
        b"slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-02T10:00:00 ***\n",
        b"srun: Terminating StepId=7.0\n",
        b"train.py FAILED\n-----\nFailures:\n  <NO_OTHER_FAILURES>\n=====\n",
    ],
)
def test_the_end_of_an_error_may_follow_it(after):
    timm = next(head for name, head, _ in HEADS if name == "timm")
    assert read_offered(timm + OUT_OF_MEMORY + after).status == "out_of_memory"


@each_row(
    [
        ("x.log", OUT_OF_MEMORY),
        ("x.log", CRASH),
        ("x.log", b"Model vit_b created, param count:86567656\n" + OUT_OF_MEMORY),  # timm's validate.py
        ("x.log", BARE + OUT_OF_MEMORY),  # a script of its own, without the Trainer
        ("x.log", b"Start training\n" + CRASH),
        ("x.log", b"number of parameters: 123.59M\n" + CRASH),
        ("x.log", HEADS[3][1]),  # nothing says that it failed
        # It caught the error, or did steps of an unknown form before it ended.
        ("x.log", HEADS[3][1] + b"CUDA error: busy, retry ok\nserving 100 qps\ndone\n"),
        ("x.log", HEADS[3][1] + CRASH + b"retry\nserving 100 qps\ndone\n"),
        ("x.log", HEADS[3][1] + b"step 1 took 10 ms, loss 2\n" * 4000 + b"^C\nKeyboardInterrupt\n"),
        # Other programs print these lines, too.
        ("x.log", b"=> creating model 'vit_base'\n" + OUT_OF_MEMORY),
        ("x.log", b"batch_size_per_device = 32\n" + OUT_OF_MEMORY),
        ("x.log", b"[HUGECTR][23:59:59][INFO][RANK0]: Creating a table\n" + CRASH),
    ]
)
def test_what_other_programs_print_is_not_claimed(path, content):
    assert offer(LogFiles.of({path: content}).file(path)) is None


@pytest.mark.parametrize(
    ("path", "before"), [("README.md", b"## Out of memory\n\n```\n"), ("train.py", b"import torch\n")]
)
@pytest.mark.parametrize("head", [HEADS[0][1], HEADS[3][1]])
def test_quotes_of_a_failed_run_are_not_read(path, before, head):
    claimed = offer(LogFiles.of({path: before + head + OUT_OF_MEMORY}).file(path))
    assert claimed
    assert claimed.quote(is_named=False)
