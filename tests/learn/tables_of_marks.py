"""Tables whose names have a letter in brackets that is a class, a head or a split, and no unit."""

from tests.learn.tables_of_people import PeoplesTable

_HEADS = (
    '[{"name": "a", "metrics/recall(B)": 0.541, "metrics/mAP50(B)": 0.577, "metrics/recall(M)": 0.531},'
    ' {"name": "b", "metrics/recall(B)": 0.641, "metrics/mAP50(B)": 0.677, "metrics/recall(M)": 0.631}]'
)
_SPLITS = "split,Score (C) old,Score (C) new,Score (W) old,Score (W) new\nx,41.5,45.5,91.5,95.5\ny,33.5,39.5,83.5,87.5\n"

MARKS = {
    "heads of a detector": PeoplesTable(
        "heads.json",
        _HEADS,
        0,
        open=frozenset({"metrics/recall(B)", "metrics/mAP50(B)", "metrics/recall(M)"}),
    ),
    "heads of a detector, with answers": PeoplesTable(
        "heads.json",
        _HEADS,
        6,
        (
            ("metrics_recall_b", 0.641, {"case": "b"}),
            ("metrics_recall_m", 0.631, {"case": "b"}),
            ("metrics_map50_b", 0.577, {"case": "a"}),
        ),
        answers=dict.fromkeys(("metrics/recall(B)", "metrics/mAP50(B)", "metrics/recall(M)"), "1"),
    ),
    "a bracket that is not the last": PeoplesTable(
        "models.md",
        "| Model | mAP50(B) (RTDet) | mAP50(P) (RTDet) | ms |\n|--|--|--|--|\n| s | 51.2 | 43.3 | 4.5 |\n| m | 56.6 | 48.1 | 7.5 |\n",
        2,
        (("latency", 0.0075, {"model": "m"}),),
        frozenset({"mAP50(B) (RTDet)", "mAP50(P) (RTDet)"}),
    ),
    "siblings that differ in a letter, in a grid": PeoplesTable(
        "splits.csv",
        _SPLITS,
        8,
        (("score_c_old", 33.5, {"split": "y"}), ("score_w_old", 83.5, {"split": "y"})),
        answers=dict.fromkeys(_SPLITS.partition("\n")[0].split(",")[1:], "1"),
    ),
    "words in brackets, with answers": PeoplesTable(
        "subsets.csv",
        "model,recall (easy),recall (hard)\na,0.912,0.631\nb,0.933,0.655\n",
        4,
        (("recall_easy", 0.933, {"model": "b"}), ("recall_hard", 0.655, {"model": "b"})),
        answers={"recall (easy)": "1", "recall (hard)": "1"},
    ),
    "cases of which one has the name of a setting": PeoplesTable(
        "ways.csv",
        "size,Naive,Batch,Tiled\nsmall,1.52,0.82,0.61\nmid,5.12,2.71,2.33\nlarge,20.4,11.6,9.71\n",
        9,
        (
            ("latency", 0.0116, {"size": "large", "variant": "Batch"}),
            ("latency", 0.00233, {"size": "mid", "variant": "Tiled"}),
        ),
        answers=dict.fromkeys(("Naive", "Batch", "Tiled"), "ms"),
    ),
    "letters that are units": PeoplesTable(
        "units.csv",
        "codec,compressed (B),power (W),energy (J)\na,512,30.5,0.25\nb,700,32.5,0.75\n",
        6,
        (
            ("compressed", 700, {"codec": "b"}),
            ("power", 32.5, {"codec": "b"}),
            ("energy", 0.75, {"codec": "b"}),
        ),
    ),
    "literals in cells of reStructuredText": PeoplesTable(
        "read.rst",
        ".. list-table::\n   :header-rows: 1\n\n   * - Task\n     - Time\n   * - Read axis as ``f64``\n     - 5.5 ms\n   * - ``open`` a ``file``\n     - 7.5 ms\n",
        2,
        (("latency", 0.0055, {"task": "Read axis as f64"}), ("latency", 0.0075, {"task": "open a file"})),
    ),
    "a header whose last line names the first column": PeoplesTable(
        "runtime.tex",
        "\\begin{tabular}{lrrrr}\n\\toprule\n & \\multicolumn{2}{r}{mean} & \\multicolumn{2}{r}{std} \\\\\ndim & 10 & 20 & 10 & 20 \\\\\n"
        "method &  &  &  &  \\\\\n\\midrule\nA & 1.25 & 1.61 & 1.11 & 1.95 \\\\\nB & 1.24 & 1.64 & 1.09 & 1.94 \\\\\n\\bottomrule\n\\end{tabular}\n",
        4,
        (("run_time", 1.64, {"method": "B", "variant": 20, "statistic": "mean", "dim": None}),),
        answers={"mean 10": "s"},
    ),
    "a header of CSV whose last line names the first column": PeoplesTable(
        "runtime.csv",
        ",latency (ms),latency (ms),memory (MB),memory (MB)\ncores,1,8,1,8\nsolver,,,,\na,12.5,2.5,110,120\nb,14.5,3.5,130,140\n",
        8,
        (("latency", 0.0035, {"solver": "b"}),),
    ),
    "code within the names of columns": PeoplesTable(
        "starts.md",
        "| Case | Time `cold` (ms) | Rate of [b](x.md) runs (tokens/s) |\n|--|--|--|\n| a | 1.5 | 200 |\n| b | 1.75 | 300 |\n",
        4,
        (("cold_time", 0.00175, {"case": "b"}), ("throughput", 200, {"case": "a"})),
    ),
    "points between thousands before a unit and a bracket": PeoplesTable(
        "sorts.md",
        "| Sort | Time | Memory |\n|--|--|--|\n| a | 12,51 ms (100 %) | 1.024,5 KB |\n| b | 1.221 ms (56,5 %) | 512,0 KB |\n",
        4,
        (("latency", 0.01251, {"sort": "a"}), ("latency", 1.221, {"sort": "b"})),
    ),
    "points between thousands, proven by a number before a bracket": PeoplesTable(
        "sorts.md",
        "| Sort | Time |\n|--|--|\n| a | 1.221 ms (56 %) |\n| b | 2,5 ms (33 %) |\n",
        2,
        (("latency", 1.221, {"sort": "a"}), ("latency", 0.0025, {"sort": "b"})),
    ),
    "points between thousands before a ratio": PeoplesTable(
        "sorts.csv",
        "sort;time\na;3.456 us (1,5x)\nb;845,25 us (1,0x)\n",
        2,
        (("latency", 0.003456, {"sort": "a"}), ("latency", 0.00084525, {"sort": "b"})),
    ),
}
