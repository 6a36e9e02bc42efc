"""Logs warn about their own speed: the texts are as the programs print them, in one line each."""

import time

from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.model import Finding, Run, Source
from reportgen.core.rules import Rule
from reportgen.formats.parsing.log_warnings import find_nans, find_warnings, with_warnings
from reportgen.sources.logfiles import LogFiles
from tests.builders import format_named, native_files, rule_lines, run
from tests.each_of import each_row
from tests.formats.test_jade import BATCHES, ENDING, HEADER, read

LOADER = (
    "This DataLoader will create 4 worker processes in total. "
    "Our suggested max number of worker in current system is 2"
)


@each_row(
    [
        (
            "log.data-loading",
            LOADER,
            "/x/dataloader.py:561: UserWarning: ",
            ", which is smaller than what this",
        ),
        (
            "log.data-loading",
            "The dataloader, train_dataloader 0, does not have many workers which may be a bottleneck",
            "UserWarning: ",
            ". Consider increasing the value of the `num_workers` argument",
        ),
        (
            "log.data-loading",
            "The 'train_dataloader' does not have many workers which may be a bottleneck",
            "",
            ".",
        ),
        ("log.communication", "NCCL INFO NET/IB : No device found", "host:880:887 [0] ", "."),
        ("log.communication", "NCCL INFO Using network Socket", "host:880:887 [0] ", ""),
        ("log.communication", "NCCL WARN Call to connect returned refused", "host:1:2 [0] net.cc:9 ", ""),
        (
            "log.communication",
            "find_unused_parameters=True was specified in DDP constructor, "
            "but did not find any unused parameters",
            "[W reducer.cpp:1289] Warning: ",
            " in the forward pass.",
        ),
        ("log.communication", "Grad strides do not match bucket view strides", "UserWarning: ", ". This may"),
        (
            "log.compute",
            "TensorFloat32 tensor cores for float32 matrix multiplication available but not enabled",
            "UserWarning: ",
            ". Consider setting",
        ),
        ("log.compute", "torch._dynamo hit config.recompile_limit (8)", "W1107 [0/8] ", ""),
        ("log.compute", "torch._dynamo hit config.cache_size_limit (64)", "[0/8] ", ""),
        ("log.compute", "Torch was not compiled with flash attention", "UserWarning: 1", ". (Triggered"),
        (
            "log.compute",
            "You are using a CUDA device ('NVIDIA A40') that has Tensor Cores. To properly utilize them, "
            "you should set `torch.set_float32_matmul_precision",
            "",
            "('medium' | 'high')`",
        ),
        (
            "log.memory",
            "12 pytorch allocator cache flushes since last step",
            "[WARNING] [stage3.py:9] ",
            ". this",
        ),
        (
            "log.memory",
            "Allocator (GPU_0_bfc) ran out of memory trying to allocate 3.46GiB with freed_by_count=0. "
            "The caller indicates that this is not a failure",
            "2020-05-18 08:20:15.72: W bfc_allocator.cc:239] ",
            ", but may mean",
        ),
    ]
)
def test_the_text_of_a_program_is_quoted(rule: str, text: str, before: str, after: str) -> None:
    content = f"step 1\n{before}{text}{after}\nstep 2\n".encode()
    (warning,) = find_warnings(content)
    assert (warning.rule, warning.text, warning.count) == (rule, text, 1)
    assert content[warning.offset :].startswith(text.encode())


def test_equal_texts_are_one_note_with_their_count_and_first_line() -> None:
    content = f"a\n{LOADER}\n{LOADER}\n".encode()
    (warning,) = find_warnings(content)
    assert warning.finding("r", Source("x", 2)) == Finding(
        "note", Rule.LOG_DATA_LOADING, "r", f'the log says "{LOADER}" (2 times)', Source("x", 2)
    )


def test_different_texts_of_one_kind_are_few() -> None:
    assert len(find_warnings(b"".join(b"NCCL WARN comm 0x%d\n" % n for n in range(99)))) == 5


@each_row(
    [
        ("{'loss': nan, 'grad_norm': 'nan', 'epoch': 1.0}", ["loss: nan", "grad_norm: nan"]),
        ('{"train_samples_per_second": NaN, "step": 20}', ["train_samples_per_second: NaN"]),
        ("step: 10  loss:      nan  tps: 205", ["loss: nan"]),
        ("step_time=-nan, x=1", ["step_time: nan"]),
        ("Time nan (nan)\tLoss 6.9", ["Time: nan"]),
        ("Epoch: [0]\tTime  0.123 (nan)\tData  0.004 (0.004)", ["Time (nan)"]),
        ("time: 0.123 (nan)  loss: 6.9 (6.9)", ["time (nan)"]),
        ("{'step_times': [0.1, nan, nan], 'x': 1}", ["step_times: nan"]),
        ('"latencies": [\n  0.25,\n  NaN\n]', ["latencies: NaN"]),
        ("[INFO] 3 nan found, [1, 2]", []),
        ("|avg tokens nan |tokens/s nan |", ["avg tokens nan", "tokens/s: nan"]),
        ("Mean TTFT (ms):                nan   ", ["Mean TTFT (ms): nan"]),
        ("perf/throughput:np.float64(nan)", ["perf/throughput: nan"]),
        ("took: nan ms", ["took: nan"]),
        ("Loss is nan, stopping training", ["Loss is nan"]),
        ("key=abc123 the loss has become NaN", ["loss has become NaN"]),
        ("Loss nan", ["Loss: nan"]),
        ("hidden42 nan", ["nan"]),
        ("number of nan iterations:   0 |", []),
        ("loss 11.0 (+nanz)| nanoseconds: 3, nan_to_num: 1, check: nano", []),
        ('"hip_id": NaN, "x": 1', []),
    ]
)
def test_names_of_values_that_are_nan_are_quoted(line: str, quotes: list[str]) -> None:
    assert [warning.text for warning in find_nans(f"a\n{line}\n".encode())] == quotes


def test_a_measured_nan_is_a_warning_and_is_counted() -> None:
    found = find_nans(b"loss: nan\nstep_time: nan\nstep_time: nan\n")
    assert [(each.severity, each.count) for each in found] == [("note", 1), ("warning", 2)]


def test_a_long_list_of_nans_is_one_text() -> None:
    content = b'"step_times": [' + b"0.125, " * 5000 + b", ".join([b"NaN"] * 100_000) + b"]"
    start = time.process_time()
    (nan,) = find_nans(content)
    assert (nan.text, nan.count, nan.severity) == ("step_times: NaN", 100_000, "warning")
    assert time.process_time() - start < 2


def test_of_many_nans_the_measured_are_named_and_the_others_counted() -> None:
    found = find_nans(
        b"".join(b"m%s: nan\n" % name for name in b"a b c d e f g".split()) + b"step_time: nan\n"
    )
    assert [each.text for each in found] == ["ma: nan", "mb: nan", "mc: nan", "md: nan", "step_time: nan"]
    assert (
        found[-1].finding("r", Source("x", 8)).message == 'the log says "step_time: nan"; it has 3 more NaN'
    )


def test_a_warning_is_that_of_the_run_whose_lines_it_is_among() -> None:
    (warning,) = find_warnings(LOADER.encode())
    runs = [run(id=str(line)) for line in (10, 20)]
    runs = [Run(each.id, each.format, Source("x", int(each.id)), each.factors) for each in runs]
    marked = with_warnings(runs, [(warning, Source("x", line)) for line in (1, 15, 21)])
    lines = {each.id: [line for _, line in rule_lines(each)] for each in marked if isinstance(each, Run)}
    assert lines == {"10": [1, 15], "20": [21]}


def test_the_run_of_a_log_has_its_warnings() -> None:
    content = (
        HEADER + f"/x/dataloader.py:561: UserWarning: {LOADER}, which is\n".encode() * 8 + BATCHES + ENDING
    )
    entry = read(content)
    assert [(f.rule, f.message, f.source) for f in entry.findings if f.rule.startswith("log.")] == [
        (
            "log.data-loading",
            f'the log says "{LOADER}" (8 times)',
            Source("slurm-7-train.out", HEADER.count(b"\n") + 1),
        )
    ]


def test_a_recorded_run_has_the_warnings_of_its_output() -> None:
    files = {**native_files(1, 5, 5), "stderr.log": f"\n\n{LOADER}\n"}
    contents = {name: text.encode() for name, text in files.items()}
    (entry,) = format_named("native").read(LogFiles.of(contents))
    assert isinstance(entry, Run)
    assert [(f.rule, f.source) for f in entry.findings if f.rule.startswith("log.")] == [
        ("log.data-loading", Source("stderr.log", 3))
    ]


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_any_bytes_around_a_text_do_no_harm(before: bytes, after: bytes) -> None:
    content = before + b"\n" + LOADER.encode() + b"\n" + after
    assert any(warning.text == LOADER for warning in find_warnings(content))
