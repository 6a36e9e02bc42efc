"""Small trees of logs as people have them, by what they are about: path below logs/ -> content.

The logs are in the form of their writers; names and numbers are invented. A log of torchvision states model,
precision, batch size and devices, and no device; a line of the Hugging Face Trainer states nothing.
"""

import json
from collections.abc import Callable, Mapping

Tree = Mapping[str, str]

# Speed of a device or framework against the first of its tree.
_SPEEDS = {"A40": 1.0, "H100": 2.5, "B200": 4.0, "H200": 3.0, "pytorch": 1.0, "tensorflow": 0.8}


def vision(model: str, step: float, *, batch: int = 32, devices: int = 1, amp: bool = False) -> str:
    """Return a log of torchvision's references with steps of so many seconds."""
    head = (
        f"Namespace(amp={amp}, batch_size={batch}, device='cuda', distributed={devices > 1}, epochs=1, "
        f"model='{model}', workers=8, world_size={devices})\nStart training\n"
    )
    lines = (
        f"Epoch: [0]  [{at}/300]  eta: 0:01:00  lr: 0.1  img/s: 1.0  loss: 6.9 (6.9)  "
        f"time: {step:.6f}  data: 0.0010  max mem: 3000\n"
        for at in range(0, 300, 10)
    )
    return head + "".join(lines)


def out_of_memory(model: str, batch: int) -> str:
    """Return a log of torchvision's references that ended in its second step."""
    return "".join(vision(model, 1.0, batch=batch).splitlines(keepends=True)[:3]) + (
        "Traceback (most recent call last):\n"
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
    )


def trainer(rate: float) -> str:
    """Return the last line of the Hugging Face Trainer."""
    seconds = 3200 / rate
    return (
        f"{{'train_runtime': {seconds:.4f}, 'train_samples_per_second': {rate:.3f}, "
        f"'train_steps_per_second': {rate / 32:.3f}, 'train_loss': 2.5, 'epoch': 1.0}}\n"
    )


def mxnet(rate: float) -> str:
    """Return a log of MXNet's Speedometer."""
    lines = (
        f"INFO:root:Epoch[0] Batch [{at}-{at + 10}]\tSpeed: {rate:.2f} samples/sec\taccuracy=0.001000\n"
        for at in range(0, 300, 10)
    )
    return "".join(lines)


def collective(name: str, factor: float, nodes: int = 1) -> str:
    """Return a log of nccl-tests on 8 devices of each node: times in us over message sizes."""
    head = (
        "# nThread 1 nGpus 8 minBytes 1048576 maxBytes 67108864 step: 2(factor) warmup iters: 5 iters: 20 "
        "agg iters: 1 validation: 1 graph: 0\n#\n# Using devices\n"
    )
    ranks = "".join(
        f"#  Rank {rank:2} Group  0 Pid {4000 + rank} on node-{1 + rank // 8} device {rank % 8:2} "
        f"[0000:{rank % 8}b:00] NVIDIA H100 80GB HBM3\n"
        for rank in range(8 * nodes)
    )
    columns = (
        "#\n#                                                              out-of-place"
        "                       in-place\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   "
        "algbw   busbw #wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  "
        "(GB/s)  (GB/s)\n"
    )
    lines = []
    for power in range(20, 27):
        size = 2**power
        time = 30 + size / 300e3 * factor
        rate = size / time / 1e3
        cells = f"{time:9.2f} {rate:7.2f} {rate * 1.75:7.2f}      0"
        lines.append(f"{size:12} {size // 4:13}     float     sum      -1 {cells} {cells}\n")
    return f"# {name}\n{head}{ranks}{columns}{''.join(lines)}# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 200.5\n#\n"


def served(concurrency: int, factor: float) -> str:
    """Return the result file of vLLM's bench serve at a load."""
    rate = 900 * factor * concurrency**0.6
    latency = 8 * concurrency**0.4 / factor
    return json.dumps({
        "date": "20260101-101010", "endpoint_type": "openai-chat", "backend": "vllm", "label": None,
        "model_id": "example/model-7b", "tokenizer_id": "example/model-7b", "num_prompts": 200,
        "request_rate": "inf", "burstiness": 1.0, "max_concurrency": concurrency, "duration": 100.0,
        "completed": 200, "failed": 0, "total_input_tokens": 200000,
        "total_output_tokens": round(100 * rate), "request_throughput": 2.0,
        "output_throughput": rate, "total_token_throughput": rate + 2000,
        "mean_ttft_ms": latency * 9, "median_ttft_ms": latency * 8, "p99_ttft_ms": latency * 20,
        "mean_tpot_ms": latency, "median_tpot_ms": latency * 0.98, "p99_tpot_ms": latency * 2,
    })  # fmt: skip


def micro_benchmark(means: Mapping[str, float], commit: str = "0", day: int = 1) -> str:
    """Return the file that pytest-benchmark saves for functions with these mean times in s."""
    benchmarks = [
        {
            "group": None, "name": f"test_{name}", "fullname": f"tests/test_micro.py::test_{name}",
            "params": None, "param": None, "extra_info": {},
            "options": {"disable_gc": False, "timer": "perf_counter", "min_rounds": 5, "warmup": False},
            "stats": {
                "min": mean * 0.9, "max": mean * 1.5, "mean": mean, "stddev": mean * 0.1, "rounds": 100,
                "median": mean * 0.98, "iqr": mean * 0.05, "q1": mean * 0.95, "q3": mean,
                "iqr_outliers": 3, "stddev_outliers": 10, "outliers": "10;3", "ld15iqr": mean * 0.9,
                "hd15iqr": mean * 1.1, "ops": 1 / mean, "total": mean * 100, "iterations": 1,
            },
        }
        for name, mean in means.items()
    ]  # fmt: skip
    machine = {"node": "box", "machine": "x86_64", "python_version": "3.11.7", "system": "Linux"}
    return json.dumps({
        "machine_info": machine, "commit_info": {"id": (commit * 40)[:40], "dirty": False}, "benchmarks": benchmarks,
        "datetime": f"2026-01-{day:02}T10:00:00+00:00", "version": "4.0.0",
    })  # fmt: skip


def submitted(minutes: float) -> str:
    """Return the events of a run of MLPerf that trained for so many minutes."""
    events = (
        (0, "POINT_IN_TIME", "submission_benchmark", "ssd", {}),
        (0, "POINT_IN_TIME", "global_batch_size", 128, {}),
        (1000, "INTERVAL_START", "run_start", None, {}),
        (1000 + round(minutes * 60000), "INTERVAL_END", "run_stop", None, {"status": "success"}),
    )
    return "".join(
        ":::MLLOG "
        + json.dumps({
            "namespace": "", "time_ms": time, "event_type": kind, "key": key, "value": value,
            "metadata": {"file": "/workspace/train.py", "lineno": 7, **metadata},
        })
        + "\n"
        for time, kind, key, value, metadata in events
    )  # fmt: skip


def _noise(number: int) -> float:
    """Return a factor near 1 for the repeat of a number."""
    return 1 + (number * 7 % 11 - 5) * 0.0005 + number * 1e-5


def by_device() -> Tree:
    """Return a folder for each device, whose logs do not state it: two models, three repeats."""
    return {
        f"{device}/{model}_run{repeat}.log": vision(model, step / _SPEEDS[device] * _noise(repeat))
        for device in ("A40", "H100")
        for model, step in (("resnet50", 0.2), ("vit_b_16", 0.4))
        for repeat in (1, 2, 3)
    }


def three_devices() -> Tree:
    """Return three repeats on each of three devices: too few to decide, whatever their distance."""
    return {
        f"{device}/run{repeat}.log": vision("resnet50", step * _noise(repeat))
        for device, step in (("A40", 0.24), ("H100", 0.1), ("A100", 0.2))
        for repeat in (1, 2, 3)
    }


def by_framework() -> Tree:
    """Return a folder for each framework, whose logs state nothing."""
    return {
        f"sweep/{framework}/run{repeat}.log": trainer(100 * _SPEEDS[framework] * _noise(repeat))
        for framework in ("pytorch", "tensorflow")
        for repeat in (1, 2, 3)
    }


def by_program() -> Tree:
    """Return a folder for each program, with logs of the same names: one states the work, the other nothing."""
    return {
        f"{folder}/rn50_b64_{repeat}.log": text
        for repeat in (1, 2, 3, 4, 5)
        for folder, text in (
            ("pytorch", vision("resnet50", 0.4 * _noise(repeat), batch=64)),
            ("mxnet", mxnet(200 * _noise(repeat))),
        )
    }


def by_batch_size() -> Tree:
    """Return a file for each batch size, which only its name has."""
    return {f"sweep/bs{batch}.log": trainer(300 * batch / (batch + 16)) for batch in (8, 16, 32, 64)}


def by_date() -> Tree:
    """Return a folder for each night of one benchmark, 20 % slower from the seventh night on."""
    return {
        f"nightly/2026-01-{day:02}/run{repeat}.log": vision(
            "resnet50", 0.2 * (1.25 if day > 6 else 1) * _noise(repeat + 10 * day)
        )
        for day in range(1, 13)
        for repeat in (1, 2, 3)
    }


def by_node() -> Tree:
    """Return a folder for each node of a cluster; one node is slow."""
    return {
        f"burnin/node{node:02}/run{repeat}.log": vision(
            "resnet50", 0.2 * (1.3 if node == 3 else 1) * _noise(repeat + 10 * node)
        )
        for node in (1, 2, 3, 4)
        for repeat in (1, 2, 3)
    }


def mixed() -> Tree:
    """Return a folder of numbered results beside one in which the names of files matter."""
    results = {
        f"all/lab/{machine}/resnet50/result_{repeat}.txt": vision(
            "resnet50", (0.2 if machine == "red" else 0.22) * _noise(repeat)
        )
        for machine in ("red", "green")
        for repeat in range(8, 13)
    }
    named = {
        f"all/other/box/hf/{name}.log": trainer(rate) for name, rate in (("plain", 90.0), ("fused", 120.0))
    }
    return {**results, **named}


def failures() -> Tree:
    """Return two devices and two batch sizes; the larger one fits on one device only."""
    fits = {
        f"{device}/resnet50_{batch}.log": vision("resnet50", batch / 160 / _SPEEDS[device], batch=batch)
        for device in ("A40", "H100")
        for batch in (32, 64)
    }
    return {
        **fits,
        "H100/resnet50_128.log": vision("resnet50", 128 / 160 / _SPEEDS["H100"], batch=128),
        "A40/resnet50_128.log": out_of_memory("resnet50", 128),
    }


def one_run() -> Tree:
    """Return one log."""
    return {"first/train.log": vision("resnet50", 0.2)}


def repeats() -> Tree:
    """Return five repeats of one case, whose files are numbered."""
    return {f"five/run_{repeat}.log": vision("resnet50", 0.2 * _noise(repeat)) for repeat in range(1, 6)}


def two_hundred_models() -> Tree:
    """Return two hundred models on two devices; the last ten did not run on the second."""
    return {
        f"{device}/model{number:03}.log": vision(
            f"model{number:03}", (number + 10) / 100 / (_SPEEDS[device] + (device == "H100") * number / 211)
        )
        for device in ("A40", "H100")
        for number in range(200)
        if device == "A40" or number < 190
    }


def by_dated_file() -> Tree:
    """Return a file for each night, whose date is inside its name; 20 % slower from the fifth night on."""
    return {
        f"nightly/bench-202603{day:02}.log": vision("resnet50", 0.2 * (1.25 if day > 8 else 1) * _noise(day))
        for day in range(5, 13)
    }


def by_host() -> Tree:
    """Return a folder for each host of a cluster, as its administrators name them; one host is slow."""
    return {
        f"burnin/gpu-{host}/run{repeat}.log": vision(
            "resnet50", 0.2 * (1.3 if host == "b02" else 1) * _noise(repeat + 10 * number)
        )
        for number, host in enumerate(("a07", "a08", "b01", "b02"))
        for repeat in (1, 2, 3)
    }


def by_gpu_count() -> Tree:
    """Return a folder for each number of devices, which the logs do not state."""
    return {
        f"{count}gpu{'s' if count > 1 else ''}/run{repeat}.log": trainer(100 * count**0.95 * _noise(repeat))
        for count in (1, 2, 4, 8)
        for repeat in (1, 2, 3)
    }


def by_node_count() -> Tree:
    """Return a folder for each number of nodes with 8 devices each; the logs state the devices."""
    return {
        f"{count}node{'s' if count > 1 else ''}/resnet50_{repeat}.log": vision(
            "resnet50", 0.2 * count**0.06 * _noise(repeat), devices=8 * count
        )
        for count in (1, 2, 4)
        for repeat in (1, 2, 3)
    }


def by_precision() -> Tree:
    """Return a folder for each precision, which the logs do not state."""
    speeds = {"fp32": 1.0, "tf32": 1.8, "fp16": 2.6, "bf16": 2.5}
    return {
        f"a100/{precision}/{model}.log": trainer(rate * speed)
        for precision, speed in speeds.items()
        for model, rate in (("bert", 100.0), ("gpt2", 41.0))
    }


def by_model() -> Tree:
    """Return a folder for each model, with a log for each device."""
    return {
        f"{model}/{device}.log": vision(model, step / _SPEEDS[device])
        for model, step in (("resnet50", 0.2), ("vit_b_16", 0.4), ("swin_t", 0.3))
        for device in ("A40", "H100")
    }


def micro() -> Tree:
    """Return the results of pytest-benchmark: every statistic of a few functions."""
    return {"micro/results.json": micro_benchmark({"sort": 2e-3, "hash": 1e-6, "parse": 5e-4})}


def by_commit() -> Tree:
    """Return the results of pytest-benchmark at two commits: the second is slower in one function."""
    return {
        "micro/late.json": micro_benchmark({"sort": 2e-3, "hash": 1e-6}, "1a", day=1),
        "micro/early.json": micro_benchmark({"sort": 2.5e-3, "hash": 1e-6}, "0b", day=2),
    }


def by_version() -> Tree:
    """Return the results of two versions of a program, each in a folder directly below logs/."""
    return {
        "v1.9.0/bench.json": micro_benchmark({"sort": 2e-3, "hash": 1e-6}),
        "v1.10.0/bench.json": micro_benchmark({"sort": 1e-3, "hash": 1e-6}),
    }


def by_name_of_machines() -> Tree:
    """Return logs of PaddlePaddle, which state no batch, devices and precision: their names do."""
    steps = {
        ("1n1g", "fp32"): 0.4, ("1n8g", "fp32"): 0.42, ("2n8g", "fp32"): 0.44,
        ("1n1g", "fp16"): 0.2, ("1n8g", "fp16"): 0.22, ("2n8g", "fp16"): 0.25,
    }  # fmt: skip
    return {
        f"paddle/{machines}/r50_b128_{precision}_{repeat}.log": "".join(
            f"2026-01-02 10:00:{at * step * _noise(repeat):06.3f}-INFO: [Pass 0, train batch {at}] \tloss 7.0, "
            f"acc1 0.0, lr 0.1, elapse {step * _noise(repeat):.4f} sec\n".replace(".", ",", 1)
            for at in range(125)
        )
        for (machines, precision), step in steps.items()
        for repeat in range(1, 4)
    }


def by_submitter() -> Tree:
    """Return five runs of MLPerf's SSD from each of two submitters: one is slow once."""
    minutes = {"Acme": (30, 20, 22, 24, 90), "Zeta": (40, 41, 43, 42, 44)}
    return {
        f"mlperf/{submitter}/results/{submitter}_2xA100/ssd/result_{number}.txt": submitted(time)
        for submitter, own in minutes.items()
        for number, time in enumerate(own)
    }


def two_alike_of_four() -> Tree:
    """Return twenty models on two devices, and on others that ran them in larger numbers only."""
    counts = {"A40": 1, "H100": 1, "B200": 2, "H200": 8}
    return {
        f"{device}/{model}.log": vision(f"model{model}", (model + 37) / 211 / _SPEEDS[device], devices=count)
        for device, count in counts.items()
        for model in range(20)
    }


def by_test() -> Tree:
    """Return the results of llama-bench for two quantisations."""
    head = (
        "| model | size | params | backend | ngl | test | t/s |\n"
        "| --- | ---: | ---: | --- | --: | ---: | ---: |\n"
    )
    rates = {"Q8_0": (5000, 4500, 80), "Q4_0": (4800, 4400, 120)}
    return {
        f"llama/{name}.txt": head
        + "".join(
            f"| tiny 1B {name} | 0.60 GiB | 1.10 B | CUDA | 99 | {test} | {rate}.00 ± 1.00 |\n"
            for test, rate in zip(("pp512", "pp2048", "tg128"), own, strict=True)
        )
        for name, own in rates.items()
    }


def scaling() -> Tree:
    """Return two models on 1 to 8 devices, which the logs state."""
    return {
        f"scaling/{model}_{count}.log": vision(model, step * count**loss, devices=count)
        for model, step, loss in (("resnet50", 0.2, 0.02), ("vit_b_16", 0.4, 0.1))
        for count in (1, 2, 4, 8)
    }


def same_steps() -> Tree:
    """Return logs of three models with equal steps to the last bit, as a copy of the wrong file has."""
    models = (("resnet50", 0.2), ("resnet101", 0.2), ("vit_b_16", 0.4))
    return {f"vision/{model}.log": vision(model, step) for model, step in models}


def own_table() -> Tree:
    """Return a table of results of somebody's own."""
    rows = (
        f"{model},{device},{batch},{rate * batch / (batch + 8) * _SPEEDS[device]:.1f}\n"
        for model, rate in (("resnet50", 400), ("bert", 120))
        for device in ("A40", "H100")
        for batch in (8, 16, 32)
    )
    return {"lab/results.csv": "model,gpu,batch_size,images_per_sec\n" + "".join(rows)}


def nccl() -> Tree:
    """Return two collectives over message sizes."""
    return {
        f"nccl/{name}.log": collective(name, factor)
        for name, factor in (("all_reduce_perf", 1.0), ("all_gather_perf", 0.7))
    }


def nccl_nodes() -> Tree:
    """Return logs of nccl-tests on 1 to 4 nodes: at 64 MiB, two have 0.654 of the bandwidth of one."""
    return {
        f"{nodes}nodes/all_reduce.log": collective("all_reduce", 0.8 + 0.2 * nodes**2, nodes)
        for nodes in (1, 2, 4)
    }


def vllm() -> Tree:
    """Return a server under rising load, on one and on four devices, which only the folder says."""
    return {
        f"serving/tp{devices}/c{load}.json": served(load, devices**0.8)
        for devices in (1, 4)
        for load in (1, 4, 16, 64)
    }


TREES: Mapping[str, Callable[[], Tree]] = {
    tree.__name__: tree
    for tree in (
        by_device, three_devices, by_framework, by_program, by_batch_size, by_date, by_node, mixed,
        failures, one_run, repeats, two_hundred_models, nccl, nccl_nodes, vllm, by_dated_file, by_host, by_gpu_count,
        by_node_count, by_precision, by_model, micro, scaling, same_steps, own_table, by_commit, by_version,
        by_name_of_machines, by_test, by_submitter, two_alike_of_four,
    )
}  # fmt: skip
