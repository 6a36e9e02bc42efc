"""llama-bench: the same two tests as JSON, JSON lines and Markdown."""

import pytest

from reportgen.core.model import Finding, Run
from tests.builders import aggregate_of, read_all
from tests.each_of import each_row
from tests.formats.valid_logs import LLAMA_BENCH, LLAMA_LINES, LLAMA_TABLE


@pytest.mark.parametrize(
    ("content", "lines"), [(LLAMA_BENCH, [18, 45]), (LLAMA_LINES, [1, 2]), (LLAMA_TABLE, [3, 4])]
)
def test_a_test_is_a_run_with_its_mean_rate(content, lines):
    runs = [one for one in read_all("llama_bench", content) if isinstance(one, Run)]
    assert [run.id for run in runs] == ["x.log#1", "x.log#2"]
    assert [(run.factors["test"], run.factors["model"], run.factors["precision"]) for run in runs] == [
        ("pp512", "tiny 1B", "Q4_0"), ("tg128", "tiny 1B", "Q4_0")]  # fmt: skip
    assert [aggregate_of(run, "throughput").value for run in runs] == [5120.5, 80.25]
    assert [aggregate_of(run, "throughput").source.line for run in runs] == lines


def test_repetitions_are_samples_and_facts_are_environment():
    run = read_all("llama_bench", LLAMA_LINES)[0]
    assert isinstance(run, Run)
    assert [one.value for one in run.aggregates if one.statistic == "sample"] == [5171.7, 5069.3]
    assert (run.factors["device"], run.factors["n_depth"]) == ("NVIDIA A40", 0)
    assert run.environment["build_number"] == 5163
    assert "test_time" not in {*run.factors, *run.environment}


def test_depth_is_part_of_the_name_of_the_test():
    run = read_all("llama_bench", LLAMA_TABLE)[1]
    assert isinstance(run, Run)
    assert (run.factors["n_depth"], run.factors["n_gen"], run.factors["n_gpu_layers"]) == (4096, 128, 99)


def test_a_truncated_array_is_a_finding():
    (found,) = read_all("llama_bench", LLAMA_BENCH[:-20])
    assert isinstance(found, Finding)
    assert found.rule == "read.malformed-line"


# All cells are quoted, as print_csv of llama-bench does it; the first lines are stderr, if it was kept.
LLAMA_CSV = b"""\
some backend: loaded
build_commit,build_number,gpu_info,backends,model_type,n_gpu_layers,flash_attn,tensor_split,n_prompt,n_gen,test_time,avg_ns,stddev_ns,avg_ts,stddev_ts
"12ab34cd","5163","NVIDIA A40","CUDA","tiny 1B Q4_0","99","0","0.00","512","0","2024-05-06T07:08:09Z","100000000","1000","5120.500000","1.5"
"12ab34cd","5163","NVIDIA A40","CUDA","tiny 1B Q4_0","99","0","0.00","0","128","2024-05-06T07:08:10Z","1600000000","1000","80.250000","0.5"
"12ab34cd","5163","NVIDIA A40"
"""


def test_csv_has_the_fields_of_json():
    *runs, found = read_all("llama_bench", LLAMA_CSV)
    assert [(run.factors["test"], run.factors["model"], run.factors["n_gpu_layers"]) for run in runs] == [
        ("pp512", "tiny 1B", 99), ("tg128", "tiny 1B", 99)]  # fmt: skip
    assert [aggregate_of(run, "throughput").value for run in runs] == [5120.5, 80.25]
    assert [aggregate_of(run, "throughput").source.line for run in runs] == [3, 4]
    assert (runs[0].factors["device"], runs[0].samples_per_step) == ("NVIDIA A40", 512)
    assert runs[0].environment == {"build_commit": "12ab34cd", "build_number": 5163}
    assert (found.rule, found.source.line) == ("read.malformed-line", 5)


def test_lines_around_a_table_name_devices_and_build():
    rows = LLAMA_TABLE.splitlines(True)
    content = b"".join(
        (
            b"  Device 0: NVIDIA A10, compute capability 8.6, VMM: yes\n",
            b"main: error: failed to load model\n",
            b"ggml_cuda_init: found 2 CUDA devices:\n",
            b"  Device 0: NVIDIA A40, compute capability 8.6, VMM: yes\n",
            b"  Device 1: NVIDIA A40, compute capability 8.6, VMM: yes\n",
            *rows[:3],
            b"a backend warns between the rows\n",
            *rows[3:4],
            b"\nbuild: 12ab34cd (5163)\n\n",
            *rows[:3],
        )
    )
    first, second, other = read_all("llama_bench", content)
    for run in (first, second):
        assert run.factors["device"] == "NVIDIA A40, NVIDIA A40"
        assert run.environment == {
            "build_commit": "12ab34cd", "build_number": 5163, "model_size": "0.60 GiB"}  # fmt: skip
    assert "device" not in other.factors
    assert other.environment == {"model_size": "0.60 GiB"}


@pytest.mark.parametrize(("line", "expected"), [
    ("ggml_vulkan: 0 = NVIDIA GeForce RTX 2070 (NVIDIA) | uma: 0 | fp16: 1", "NVIDIA GeForce RTX 2070"),
    ("ggml_vulkan: 0 = AMD Radeon RX 7900 XTX (RADV NAVI31) (radv) | uma: 0", "AMD Radeon RX 7900 XTX (RADV NAVI31)"),
    ("ggml_vulkan: Using AMD Radeon RX 7900 XTX | fp16: 1 | warp size: 64", "AMD Radeon RX 7900 XTX"),
])  # fmt: skip
def test_vulkan_names_its_devices_too(line, expected):
    runs = read_all(
        "llama_bench", b"ggml_vulkan: Found 1 Vulkan devices:\n" + line.encode() + b"\n" + LLAMA_TABLE
    )
    assert [run.factors["device"] for run in runs] == [expected, expected]


@pytest.mark.parametrize("sign", ["┬▒", "Â±", "\N{REPLACEMENT CHARACTER}"])
def test_a_console_may_garble_the_sign_of_the_deviation(sign):
    runs = read_all("llama_bench", LLAMA_TABLE.replace("±".encode(), sign.encode()))
    assert [run.aggregates[0].value for run in runs] == [5120.5, 80.25]


def test_an_infinite_rate_keeps_its_text_and_has_a_finding():
    run = read_all("llama_bench", LLAMA_LINES.replace(b'"avg_ts": 5120.5', b'"avg_ts": 1e999'))[0]
    assert isinstance(run, Run)
    assert aggregate_of(run, "throughput").original == "inf tokens/s"


@each_row(
    [
        ("llama 8B Q4_K - Medium", "llama 8B", "Q4_K - Medium"),
        ("llama 7B mostly Q4_0", "llama 7B mostly", "Q4_0"),
        ("qwen2 1.5B all F32", "qwen2 1.5B", "all F32"),
        ("gemma 2B BF16", "gemma 2B", "BF16"),
        ("llama 70B IQ2_XXS - 2.0625 bpw", "llama 70B", "IQ2_XXS - 2.0625 bpw"),
        ("gpt-oss 20B MXFP4 MoE", "gpt-oss 20B", "MXFP4 MoE"),
        ("llama 8B Q8_0 (guessed)", "llama 8B", "Q8_0"),
        ("unknown", "unknown", None),
    ]
)
def test_the_quantisation_at_the_end_of_a_name_is_the_precision(name: str, model: str, precision: str | None):
    run = read_all("llama_bench", LLAMA_TABLE.replace(b"tiny 1B Q4_0", name.encode()))[0]
    assert isinstance(run, Run)
    assert (run.factors["model"], run.factors.get("precision")) == (model, precision)
    assert not {"size", "model_size"} & {*run.factors}
