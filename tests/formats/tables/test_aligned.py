"""Tables whose columns blanks align become Markdown; lines that are not certain stay as they are."""

from reportgen.formats.tables.aligned import as_markdown
from tests.each_of import each_of, each_row

TABLES = {
    "a rule below the header": (
        "Kernel        Time (us)\n-----------------------\nvector add        12.5\nsum                8.25\n",
        ["Kernel | Time (us)", "vector add | 12.5", "sum | 8.25"],
    ),
    "a group of dashes for each column": (
        " model       fwd\n --------  -------\n resnet    12.3 ms\n bert      950 us\n",
        ["model | fwd", "resnet | 12.3 ms", "bert | 950 us"],
    ),
    "equals signs of reStructuredText": (
        "=====  ============\nmodel  latency (ms)\n=====  ============\nvgg    30.0\n=====  ============\n",
        ["model | latency (ms)", "vgg | 30.0"],
    ),
    "pandas with the numbers of rows": (
        "    model  score\n0    bert    1.5\n1  gpt-xl    NaN\n",
        [" | model | score", "0 | bert | 1.5", "1 | gpt-xl | NaN"],
    ),
    "pandas with an index of two columns": (
        "            time_ms\nmodel batch        \nbert  1        1.25\n      8        5.50\n",
        ["model | batch | time_ms", "bert | 1 | 1.25", "bert | 8 | 5.50"],
    ),
    "one blank between columns": (
        "name  gpus lat_ms\nllama 1    12.5\nqwen  16   3.25\n",
        ["name | gpus | lat_ms", "llama | 1 | 12.5", "qwen | 16 | 3.25"],
    ),
    "cells without a value": (
        "kernel  time (us)  GB/s\n-----------------------\ncopy         12.5\nscale               410\nadd          13.0   420\n",
        ["kernel | time (us) | GB/s", "copy | 12.5 | ", "scale |  | 410", "add | 13.0 | 420"],
    ),
    "a name longer than its column": (
        "name     time_ms  calls\nshort       12.5      3\na_longer_name_here  1.5  44\n",
        ["name | time_ms | calls", "short | 12.5 | 3", "a_longer_name_here | 1.5 | 44"],
    ),
    "blanks between thousands": (
        "kernel     rows/s\n-----------------\ncopy    1 234 567\nscale     234 567\n",
        ["kernel | rows/s", "copy | 1 234 567", "scale | 234 567"],
    ),
    "units in a second line": (
        "model  latency\n          (ms)\nres       12.5\nbert       9.0\n",
        ["model | latency (ms)", "res | 12.5", "bert | 9.0"],
    ),
    "names of several columns": (
        "        A100         H100\nbatch   ms    GB/s   ms    GB/s\n------------------------------\n8       12.5  640    8.25  969\n",
        ["batch | A100 ms | A100 GB/s | H100 ms | H100 GB/s", "8 | 12.5 | 640 | 8.25 | 969"],
    ),
    "words that are not aligned": (
        "      shape dtype us\n0  4096x4096  fp16  812\n1  8x8  fp16 6204\n",
        [" | shape | dtype | us", "0 | 4096x4096 | fp16 | 812", "1 | 8x8 | fp16 | 6204"],
    ),
    "blanks around the sign of a spread": (
        "Name     Time (mean ± σ)       Range\n------------------------------------\n"
        "sort     12.3 ms ±  0.4 ms     11.9 ms … 14.1 ms\nparse    950 µs ±  12 µs      930 µs …  1.2 ms\n",
        [
            "Name | Time (mean ± σ) | Range",
            "sort | 12.3 ms ± 0.4 ms | 11.9 ms … 14.1 ms",
            "parse | 950 µs ± 12 µs | 930 µs … 1.2 ms",
        ],
    ),
    "columns of numbers without a metric": (
        "Kernel   A100    H100\ncopy     12.5    8.25\nscale    13.0   11.75\n",
        ["Kernel | A100 | H100", "copy | 12.5 | 8.25", "scale | 13.0 | 11.75"],
    ),
    "a last column without a name": (
        "name   old time/op   new time/op   delta\n"
        "A-8    12.3µs ± 2%    9.1µs ± 1%  -26.02%  (p=0.000 n=9)\n"
        "B-8    45.6µs ± 1%   40.2µs ± 3%  -11.84%  (p=0.000 n=9)\n",
        [
            "name | old time/op | new time/op | delta | ",
            "A-8 | 12.3µs ± 2% | 9.1µs ± 1% | -26.02% | (p=0.000 n=9)",
            "B-8 | 45.6µs ± 1% | 40.2µs ± 3% | -11.84% | (p=0.000 n=9)",
        ],
    ),
    "letters as wide as two": (
        "模型      延迟 (ms)  吞吐\n----------------------\n小模型        12.5    80\n大            23.0    43\n",
        ["模型 | 延迟 (ms) | 吞吐", "小模型 | 12.5 | 80", "大 | 23.0 | 43"],
    ),
    "a rule before the total": (
        "Stage    Time (ms)\n------------------\nforward      12.5\n------------------\ntotal        12.5\n",
        ["Stage | Time (ms)", "forward | 12.5", "---|---", "total | 12.5"],
    ),
}
NO_TABLES = [
    "step 1 loss 5.2 time 12.5 ms  lr 0.1\nstep 2 loss 5.1 time 12.4 ms  lr 0.1\nstep 3 loss 5.0 time 12.6 ms  lr 0.1\n",
    "model, latency (ms),  throughput\nbert,  12.5,   3\ngpt,  13.5,  4\n",
    "model\tlatency (ms)\nbert\t12.5\ngpt\t13\n",
    "Model  &  Latency (ms) \\\\\nbert   &  12.5 \\\\\ngpt    &  13.5 \\\\\n",
    "We measured the time  in ms of all\n12 runs  on 8 GPUs and 3 models\n14 runs  on 4 GPUs and 2 models\n",
    "INFO start  of run 1\nINFO start  of run 2\nINFO start  of run 3\n",
    "Results\n=======\n\nAll is well.\n",
    # As many words as the header has, but not its columns.
    "name  old time  new time  delta\nA-8 12.3 9.1 (p=0.1, n=9) x y\nB-8 45.6 40.2 (p=0.1, n=9) x y\n",
    # Which cells are below "b" and which below "c" is not certain.
    "a    b    c\n-----------\n1   22    3\n1  2    3\n444 55\n",
]


@each_row(TABLES.values())
def test_aligned_columns_become_cells_between_bars(text: str, expected: list[str]) -> None:
    lines = [line for _, line in as_markdown(text.split("\n")) if line.startswith("|")]
    header, rule, *rows = (line.removeprefix("|").removesuffix("|").strip(" ") for line in lines)
    assert [header, *rows] == [line.strip(" ") for line in expected]
    assert set(rule) == {"|", "-"}


@each_of(NO_TABLES)
def test_other_lines_stay_as_they_are(text: str) -> None:
    lines = text.split("\n")
    assert as_markdown(lines) == list(enumerate(lines, 1))


def test_many_lines_that_may_be_headers_take_little_time() -> None:
    lines = ["a  b"] * 200 + ["a  b 1"] * 50_000
    assert as_markdown(lines) == list(enumerate(lines, 1))


def test_rows_keep_the_numbers_of_their_lines() -> None:
    lines = ["Done.", "name  gpus lat_ms", "llama 1    12.5", "qwen  16   3.25", ""]
    numbered = as_markdown(lines)
    assert [number for number, line in numbered if line.startswith("|")] == [2, 2, 3, 4]
    assert numbered[-1] == (5, "")
