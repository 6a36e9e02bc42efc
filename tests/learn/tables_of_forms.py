"""Tables in forms that need more than the names of their columns: drawn, turned, nested, summed up."""

from tests.learn.tables_of_people import PeoplesTable

FORMS = {
    "groups below a header of two lines": PeoplesTable(
        "groups.csv",
        ",Latency (ms),Latency (ms)\n,p50,p99\nA100,,\nbs1,1.5,2.5\nH100,,\nbs1,1.1,2.2\n",
        4,
        (
            ("latency", 0.0015, {"device": "A100", "statistic": "median"}),
            ("latency", 0.0022, {"device": "H100", "statistic": "p99"}),
        ),
    ),
    "a failed case below the line of a header that names the first column": PeoplesTable(
        "models.csv",
        ",latency,latency,thr\n,mean (ms),p99 (ms),req/s\nmodel,,,\na,1,2,3\nb,,,\nc,4,5,6\n",
        6,
        (
            ("latency", 0.001, {"model": "a", "group": None, "statistic": "mean"}),
            ("latency", 0.005, {"model": "c", "group": None, "statistic": "p99"}),
        ),
    ),
    "a title of another part below the line of a header that names the first column": PeoplesTable(
        "models.csv",
        ",latency,latency,thr\n,mean (ms),p99 (ms),req/s\nmodel,,,\na,1,2,3\nc,4,5,6\n\nSummary,,,\n",
        6,
        (("latency", 0.005, {"model": "c", "statistic": "p99"}),),
    ),
    "long groups below a header of two lines of Markdown": PeoplesTable(
        "groups.md",
        "| | Latency (ms) | Latency (ms) |\n| | p50 | p99 |\n|---|---|---|\n| A100 | | |\n| bs1 | 1.5 | 2.5 |\n"
        "| bs2 | 1.6 | 2.6 |\n| bs4 | 1.7 | 2.7 |\n| bs8 | 1.8 | 2.8 |\n| H100 | | |\n| bs1 | 1.1 | 2.2 |\n",
        10,
        (
            ("latency", 0.0028, {"device": "A100", "case": "bs8"}),
            ("latency", 0.0022, {"device": "H100", "case": "bs1"}),
        ),
    ),
    "numbers that say that they are the base of a comparison": PeoplesTable(
        "engines.md",
        "| Engine | Time | Accuracy |\n|--|--|--|\n| one | 29.8 ms (baseline) | 100% (Reference) |\n| two | 31.8 ms | 94% |\n",
        4,
        (("latency", 0.0298, {"engine": "one"}), ("accuracy", 1.0, {"engine": "one"})),
    ),
    "a bar in the code of a name": PeoplesTable(
        "filters.md",
        "| Filter | Time (ms) |\n|--|--|\n| `.a | .b` | 1.5 |\n| `.c` | 2.5 |\n",
        2,
        (("latency", 0.0015, {"filter": ".a | .b"}), ("latency", 0.0025, {"filter": ".c"})),
    ),
    "bars in the code of several names": PeoplesTable(
        "filters.md",
        "| Tool | Filter | Time (ms) |\n|--|--|--|\n| x | `a || b` | 1.5 |\n| y | `a | b | c` | 2.5 |\n| z | `d` | 3.5 |\n",
        3,
        (
            ("latency", 0.0015, {"tool": "x", "filter": "a || b"}),
            ("latency", 0.0025, {"filter": "a | b | c"}),
        ),
    ),
    "a bracket that distinguishes settings": PeoplesTable(
        "links.csv",
        "link,time (ms)\n8 (NVLink),1.5\n8 (PCIe),2.5\n",
        2,
        (("latency", 0.0025, {"link": "8 (PCIe)"}),),
    ),
    "values with a range below a header that ends with a blank": PeoplesTable(
        "parsers.md",
        "| Parser | Time in s | |\n|--|--|--|\n| fast | 9.9 s (9.4\u201310.4) | [log](a.txt) |\n| slow | 19.9 s (19.4\u201320.4) | [log](b.txt) |\n",
        2,
        (("run_time", 9.9, {"parser": "fast"}), ("run_time", 19.9, {"parser": "slow"})),
    ),
    "rows with a unit each, and ranges, below a header with blanks": PeoplesTable(
        "builds.md",
        "| | Old | New | |\n|--|--|--|--|\n| Time | 9.9 s (9.4-10.4) | 11.5 s (11.0-12.0) | |\n| Peak memory | 120 MB (119-121) | 150 MB (149-155) | |\n",
        4,
        (("run_time", 11.5, {"case": "New"}), ("memory_used", 120e6, {"case": "Old"})),
    ),
    "values with an interval in parentheses": PeoplesTable(
        "queries.csv",
        "query;latency\na;1.5 ms (1.25, 1.75)\nb;2.5 ms (2.0 to 3.0)\n",
        2,
        (("latency", 0.0015, {"query": "a"}), ("latency", 0.0025, {"query": "b"})),
    ),
    "rows without names that differ by orders of magnitude": PeoplesTable(
        "r.csv",
        "latency_ms,memory_gib\n0.0125,10.5\n35.5,10.75\n450.5,9.5\n",
        3,
        (("memory_used", 9.5 * 2**30, {}),),
        open=frozenset({"latency_ms"}),
    ),
    "JSON of statistics of two devices beside single figures": PeoplesTable(
        "j.json",
        '{"name": "tiny", "cpu_latency": {"mean_ms": 42.5, "std_ms": 1.5, "p95_ms": 45.25, "batch_size": 4, "num_runs": 50},'
        ' "gpu_latency": {"mean_ms": 2.5, "std_ms": 0.25, "p95_ms": 2.75, "batch_size": 4, "num_runs": 50}, "memory_gib": 1.5}',
        5,
        (
            ("latency", 0.0425, {"device": "cpu", "statistic": "mean", "cpu_latency_batch_size": 4}),
            ("latency", 0.00275, {"device": "gpu", "statistic": "p95", "batch_size": None}),
            ("memory_used", 1.5 * 2**30, {}),
        ),
    ),
    "JSON of named rows with uneven keys": PeoplesTable(
        "n.json",
        '{"scan": {"mean_ms": 1.25, "std_ms": 0.05, "rps": 210.5}, "merge": {"mean_ms": 3.5, "std_ms": 0.15},'
        ' "load": {"mean_ms": 9.5, "std_ms": 0.25}, "sort": {"mean_ms": 30.5, "rps": 80.5, "note": "warm"}}',
        6,
        (
            ("latency", 0.0305, {"case": "sort", "statistic": "mean"}),
            ("request_throughput", 210.5, {"case": "scan"}),
        ),
    ),
    "JSON of named rows that share a key with the first one": PeoplesTable(
        "n.json",
        '{"alpha": {"latency_ms": 10.5, "rps": 95.5, "errors": 0}, "beta": {"latency_ms": 12.5, "rps": 80.5},'
        ' "gamma": {"latency_ms": 14.5, "memory_gib": 2.5}}',
        7,
        (("memory_used", 2.5 * 2**30, {"case": "gamma"}), ("latency", 0.0125, {"case": "beta"})),
    ),
    "a list table of reStructuredText": PeoplesTable(
        "t.rst",
        "Results\n=======\n\n.. list-table:: Fast card\n   :header-rows: 1\n   :widths: 30 20 20\n\n   * - Backend\n     - Batch\n"
        "     - p99 latency\n       (ms)\n   * - plain\n     - 8\n     - 40.25\n   * - ``lazy``\n     - 16\n     -\n"
        "   * - fused\n     - 16\n     - 12.75\n\nText below 12.5 ms.\n",
        2,
        (("latency", 0.01275, {"backend": "fused", "batch_size": 16, "statistic": "p99"}),),
    ),
    "HTML without the tags that begin rows": PeoplesTable(
        "t.html",
        "<table><tr><th>Kernel</th><th>Time (us)</th></tr>\n<td>copy</td><td>1.5</td></tr>\n<tr><td>scale</td><td>2.5</td>\n"
        "</tr><td>add</td><td>3.5</td></tr></table>\n",
        3,
        (("latency", 1.5e-6, {"kernel": "copy"}), ("latency", 3.5e-6, {"kernel": "add"})),
    ),
    "numbers of a setting that are written once for several rows": PeoplesTable(
        "t.md",
        "| Threads | Lib | ops/s |\n|--|--|--|\n| 1 | left | 100.5 |\n| | right | 90.5 |\n| 8 | left | 700.5 |\n| | right | 600.5 |\n",
        4,
        (("throughput", 600.5, {"threads": 8, "lib": "right"}),),
    ),
    "a unit alone in the text above": PeoplesTable(
        "u.md",
        "Median of 5 runs, in milliseconds.\n\n| Query | Duck | Lite |\n|--|--|--|\n| Q1 | 10.5 | 33.5 |\n| Q2 | 12.5 | 35.5 |\n",
        4,
        (("latency", 0.0355, {"query": "Q2", "case": "Lite", "statistic": "median"}),),
    ),
    "a unit alone, two lines above": PeoplesTable(
        "u.txt",
        "STREAM of doubles, best of 20, GB/s\nbuilt with -O3\n\nCPU       threads    Copy    Triad\n---       -------    ----    -----\n"
        "small           4    14.5     20.5\nlarge          16    71.5     79.5\n",
        4,
        (("bandwidth", 79.5e9, {"cpu": "large", "operation": "Triad"}),),
    ),
    "JSON of cases of which one is called as settings are": PeoplesTable(
        "c.json",
        '{"hello": [{"name": "a", "p50_ms": 1.5}, {"name": "b", "p50_ms": 2.5}],'
        ' "query": [{"name": "a", "p50_ms": 0.5}, {"name": "b", "p50_ms": 0.25}],'
        ' "params": [{"name": "a", "p50_ms": 3.5}, {"name": "b", "p50_ms": 4.5}]}',
        6,
        (("latency", 0.0045, {"case": "params", "name": "b"}),),
    ),
    "Markdown whose rows of groups end early": PeoplesTable(
        "g.md",
        "| Case | Server | Req/s | Latency (ms) |\n|--:|--:|--:|--:|\n| 1 | `{ a }` |\n|| nginx | `20,092.5` | `4.5` |\n"
        "|| caddy | `1,074.5` | `92.5` |\n| 2 | `{ b }` |\n|| nginx | `31,845.5` | `3.5` |\n|| caddy | `979.5` | `20.5` |\n",
        8,
        (("latency", 0.0205, {"case": 2, "server": "caddy"}),),
    ),
    "Markdown with units in the second line and one name for two columns": PeoplesTable(
        "d.md",
        "| | Read | Read | Write | Write |\n|--|--|--|--|--|\n| Disk | IOPS | MB/s | IOPS | MB/s |\n"
        "| a | 1200 | 55.5 | 800 | 33.5 |\n| b | 2200 | 65.5 | 900 | 43.5 |\n",
        8,
        (("iops", 900, {"disk": "b", "operation": "Write"}),),
    ),
    "rates that grow over versions": PeoplesTable(
        "v.md",
        "| Metric | v1.0 | v1.1 |\n|--|--|--|\n| Throughput (req/s) | 1200 | 1500 |\n| p50 latency (ms) | 3.5 | 2.5 |\n",
        4,
        (("request_throughput", 1500, {"version": "v1.1"}),),
    ),
    "JSON with an index of names": PeoplesTable(
        "i.json",
        '{"columns":["latency_ms","rps"],"index":["nginx","caddy"],"data":[[1.5,1000],[2.5,900]]}',
        4,
        (("latency", 0.0025, {"index_1": "caddy"}),),
    ),
    "JSON of numbers below three levels of names": PeoplesTable(
        "n.json",
        '{"parse":{"left":{"small":0.5,"large":1.25},"right":{"small":0.25,"large":5.25}},'
        '"dump":{"left":{"small":0.75,"large":2.25},"right":{"small":1.5,"large":6.25}},"unit":"ms"}',
        8,
        (("latency", 0.00625, {"member": "dump", "case": "right", "variant": "large"}),),
    ),
    "JSON with the unit beside each mean": PeoplesTable(
        "m.json",
        '[{"op":"get","throughput":{"mean":100.5,"unit":"MB/s"}},{"op":"put","throughput":{"mean":50.5,"unit":"MB/s"}}]',
        2,
        (("bandwidth", 50500000, {"op": "put"}),),
    ),
    "a table drawn with plus and minus": PeoplesTable(
        "out.txt",
        "+-----------+-------+--------------+\n"
        "| model     | batch | latency (ms) |\n"
        "+-----------+-------+--------------+\n"
        "| resnet50  |     1 |         7.12 |\n"
        "| resnet50  |    32 |        41.90 |\n"
        "| vit_b_16  |     1 |         9.55 |\n"
        "+-----------+-------+--------------+\n",
        3,
        (("latency", 0.0419, {"model": "resnet50", "batch_size": 32}),),
    ),
    "a table drawn with box characters": PeoplesTable(
        "rich.txt",
        "┏━━━━━━━━━━┳━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━┓\n"
        "┃ Backend  ┃ Latency (ms)   ┃ Throughput (it/s)┃\n"
        "┡━━━━━━━━━━╇━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━┩\n"
        "│ eager    │ 12.50          │ 80.0             │\n"
        "│ inductor │ 8.00           │ 125.0            │\n"
        "└──────────┴────────────────┴──────────────────┘\n",
        4,
        (("latency", 0.008, {"backend": "inductor"}), ("throughput", 125, {"backend": "inductor"})),
    ),
    "a table between lines of equal signs": PeoplesTable(
        "t.rst",
        "=========  ======  ============\n"
        "Kernel     Size    Time (us)\n"
        "=========  ======  ============\n"
        "gemm       1024    55.2\n"
        "gemm       2048    410.9\n"
        "softmax    1024    12.1\n"
        "=========  ======  ============\n",
        3,
        (("latency", 0.0004109, {"kernel": "gemm", "size": 2048}),),
    ),
    "JSON with a list for each column and a unit": PeoplesTable(
        "plot.json",
        '{"batch_size": [1, 8, 32], "latency_ms": [3.1, 6.2, 19.7], "throughput": [322.6, 1290.3, 1624.4], "unit": "img/s"}',
        6,
        (("latency", 0.0062, {"batch_size": 8}),),
    ),
    "JSON with a list for each column": PeoplesTable(
        "plot2.json",
        '{"batch_size": [1, 8, 32], "latency_ms": [3.1, 6.2, 19.7], "gpu": "A100"}',
        3,
        (("latency", 0.0062, {"batch_size": 8, "device": "A100"}),),
    ),
    "JSON with names and rows apart": PeoplesTable(
        "df.json",
        '{"columns":["model","tokens_per_sec"],"index":[0,1],"data":[["a",100.5],["b",200.5]]}',
        2,
        (("throughput", 200.5, {"model": "b", "item": "token"}),),
    ),
    "JSON with an object for each column": PeoplesTable(
        "df2.json",
        '{"model":{"0":"a","1":"b"},"tokens_per_sec":{"0":100.5,"1":200.5}}',
        2,
        (("throughput", 200.5, {"model": "b", "item": "token"}),),
    ),
    "JSON with rows as lists": PeoplesTable(
        "rows.json", '[["model","latency_ms"],["a",1.5],["b",2.5]]', 2, (("latency", 0.0025, {"model": "b"}),)
    ),
    "a mean below, without a word": PeoplesTable(
        "m.csv", "prompt,latency_s\np1,1.0\np2,2.0\np3,3.0\n∅,2.0\n", 3, (("latency", 3.0, {"prompt": "p3"}),)
    ),
    "a spread in parentheses": PeoplesTable(
        "ms.md",
        "| Method | Latency [ms] | Memory [GiB] |\n"
        "|---|---|---|\n"
        "| base | 12.5 (0.3) | 10.25 (0.10) |\n"
        "| ours | 9.5 (0.2) | 8.50 (0.05) |\n",
        4,
        (("latency", 0.0095, {"method": "ours"}), ("memory_used", 9126805504.0, {"method": "ours"})),
    ),
    "a ratio in parentheses": PeoplesTable(
        "sp.md",
        "| Config | Throughput (tok/s) |\n"
        "|---|---|\n"
        "| baseline | 1000 (1.00x) |\n"
        "| +flash | 1520 (1.52x) |\n"
        "| +compile | 1810 (1.81×) |\n",
        3,
        (("throughput", 1810, {"config": "+compile"}),),
    ),
    "marks of footnotes": PeoplesTable(
        "fn.md",
        "| GPU | Images/s |\n"
        "|---|---|\n"
        "| A100 | 2500* |\n"
        "| H100 | 4100† |\n"
        "| V100 | 900 |\n"
        "\n"
        "\\* with DALI\n",
        3,
        (("throughput", 4100, {"device": "H100"}),),
    ),
    "a row of units in Markdown": PeoplesTable(
        "u.md",
        "| Model | Batch | Latency | Power |\n"
        "|---|---|---|---|\n"
        "| | | (ms) | (W) |\n"
        "| a | 1 | 5.5 | 120 |\n"
        "| b | 8 | 9.5 | 180 |\n",
        4,
        (("latency", 0.0055, {"model": "a"}), ("power", 180, {"model": "b"})),
    ),
    "the unit in the name of the file": PeoplesTable(
        "latency_ms.csv",
        "batch_size,resnet50,vgg16\n1,5.1,7.2\n8,12.3,19.5\n",
        4,
        (("latency", 0.0195, {"batch_size": 8, "model": "vgg16"}),),
    ),
    "a row for each metric, with units": PeoplesTable(
        "trans.csv",
        "Metric,Unit,H100,MI300X\n"
        "TTFT,ms,45.1,52.9\n"
        "TPOT,ms,9.8,11.2\n"
        "Throughput,tok/s,5120,4480\n"
        "Power,W,690,745\n",
        8,
        (("ttft", 0.0529, {"device": "MI300X"}), ("power", 690, {"device": "H100"})),
    ),
    "a row for each metric and each setting": PeoplesTable(
        "trans2.csv",
        "parameter,run A,run B\n"
        "batch size,32,64\n"
        "precision,fp16,bf16\n"
        "step time (ms),120.5,210.5\n"
        "throughput (samples/s),265.6,304.0\n",
        4,
        (("step_time", 0.2105, {"batch_size": 64, "precision": "bf16"}),),
    ),
    "two tables in one document": PeoplesTable(
        "two.md",
        "# Latency\n"
        "\n"
        "| Model | ms |\n"
        "|---|---|\n"
        "| a | 5.5 |\n"
        "| b | 6.5 |\n"
        "\n"
        "# Memory\n"
        "\n"
        "| Model | GiB |\n"
        "|---|---|\n"
        "| a | 1.5 |\n"
        "| b | 2.5 |\n",
        2,
        (("latency", 0.0065, {"model": "b"}),),
    ),
    "a time in words beside seconds": PeoplesTable(
        "si.csv",
        "dataset,rows/s,elapsed\nsmall,1.2M,3.5s\nlarge,950k,1m 12s\n",
        4,
        (("throughput", 950000.0, {"dataset": "large"}), ("run_time", 72, {"dataset": "large"})),
    ),
    "jobs with start and end": PeoplesTable(
        "se.csv",
        "job,start,end,duration_s\n"
        "A,2024-05-01 10:00:00,2024-05-01 10:10:00,600\n"
        "B,2024-05-01 11:00:00,2024-05-01 11:05:00,300\n",
        2,
        (("run_time", 300, {"job": "B"}),),
    ),
    "JSON with a number for each batch size": PeoplesTable(
        "b.json",
        '{"model":"resnet50","throughput_img_per_s":{"1":210.5,"8":905.1,"32":1502.7}}',
        3,
        (("throughput", 905.1, {"model": "resnet50"}),),
    ),
    "JSON lines of nested objects": PeoplesTable(
        "r.jsonl",
        '{"cfg":{"model":"a","tp":1},"res":{"tok_s":100.5,"ttft_ms":50.1}}\n'
        '{"cfg":{"model":"a","tp":2},"res":{"tok_s":180.5,"ttft_ms":30.1}}\n',
        4,
        (("ttft", 0.0301, {"tensor_parallel": 2}),),
    ),
    "JSON with lists of samples": PeoplesTable(
        "s.json",
        '[{"name":"matmul","size":512,"times_ms":[1.0,1.1,1.2]},{"name":"matmul","size":1024,"times_ms":[8.0,8.1,8.2]}]',
        6,
        (("latency", 0.0081, {"size": 1024}),),
    ),
    "German rates and batch sizes": PeoplesTable(
        "mess.csv",
        "Karte;Stapelgröße;Bilder pro Sekunde;Speicher (GiB)\n"
        "RTX 4090;32;1.020,5;11,5\n"
        "RTX 3090;32;640,25;11,75\n",
        4,
        (("throughput", 1020.5, {}), ("memory_used", 12616466432.0, {})),
    ),
    "a column that counts the rows": PeoplesTable(
        "idx.csv",
        ",model,batch_size,latency_ms\n0,a,1,1.5\n1,a,2,2.5\n2,b,1,3.5\n",
        3,
        (("latency", 0.0035, {"model": "b"}),),
    ),
    "a count that is the same in all rows": PeoplesTable(
        "cnt.csv",
        "lib,n_images,total_s,img_per_s\npil,1000,12.5,80\nturbo,1000,2.5,400\n",
        4,
        (("throughput", 400, {"lib": "turbo"}), ("run_time", 12.5, {"lib": "pil"})),
    ),
    "units in a comment above": PeoplesTable(
        "c.csv",
        "# units: ms, GB/s\nkernel,time,bw\ncopy,1.5,800\nscale,1.6,790\n",
        4,
        (("latency", 0.0016, {"kernel": "scale"}), ("bandwidth", 800000000000.0, {"kernel": "copy"})),
    ),
    "a header behind a number sign": PeoplesTable(
        "h.dat",
        "# threads time_s speedup\n1 10.0 1.0\n2 5.2 1.92\n4 2.8 3.57\n",
        3,
        (("run_time", 2.8, {"threads": 4}),),
    ),
    "sums of groups between the rows": PeoplesTable(
        "sub.csv",
        "group,stage,seconds\nA,load,10\nA,train,90\nA,all,100\nB,load,12\nB,train,80\nB,all,92\n",
        4,
        (("run_time", 80, {}),),
    ),
    "before and after, with a geometric mean": PeoplesTable(
        "geo.csv",
        "benchmark,baseline_ms,optimized_ms\nfib,4,2\nsort,9,3\nmat,16,8\ngeomean,8.32,3.63\n",
        6,
        (("latency", 0.003, {"benchmark": "sort"}),),
    ),
    "the unit in a sentence above": PeoplesTable(
        "tt.md",
        "Runtime in seconds (lower is better)\n"
        "\n"
        "| Dataset | pandas | polars | duckdb |\n"
        "|---|---|---|---|\n"
        "| 1M | 2.5 | 0.5 | 0.4 |\n"
        "| 10M | 25.1 | 3.5 | 2.9 |\n",
        6,
        (("run_time", 2.9, {}),),
    ),
    "the unit below the table": PeoplesTable(
        "bn.md",
        "| Dataset | pandas | polars |\n"
        "|---|---|---|\n"
        "| 1M | 2.5 | 0.5 |\n"
        "| 10M | 25.1 | 3.5 |\n"
        "\n"
        "All times in seconds.\n",
        4,
        (("run_time", 3.5, {}),),
    ),
    "percentiles without a metric": PeoplesTable(
        "pp.csv",
        "qps,p50,p90,p99\n10,12.1,15.0,20.5\n50,14.0,22.0,41.0\n",
        0,
        (),
        open=frozenset(["p50", "p90", "p99"]),
    ),
    "names in camel case": PeoplesTable(
        "cc.json",
        '[{"modelName":"a","batchSize":4,"avgLatencyMs":5.5,"p99LatencyMs":9.5,"tokensPerSecond":88.5},{"modelName":"b","batchSize":4,"avgLatencyMs":6.5,"p99LatencyMs":10.5,"tokensPerSecond":70.5}]',
        6,
        (("latency", 0.0105, {"model": "b", "batch_size": 4, "statistic": "p99"}),),
    ),
    "statistics in names in camel case": PeoplesTable(
        "cs.csv",
        "engine,latencyMeanMs,MedianTTFT(ms),P99TTFT_ms,latencyStdMs,requestsPerMin,latency 95 percentile (ms)\n"
        "a,12.5,3.5,9.5,0.5,66.0,20.5\nb,13.5,4.5,8.5,0.25,72.0,21.5\n",
        10,
        (
            ("latency", 0.0125, {"engine": "a", "statistic": "mean"}),
            ("latency", 0.0215, {"engine": "b", "statistic": "p95"}),
            ("ttft", 0.0045, {"engine": "b", "statistic": "median"}),
            ("ttft", 0.0085, {"engine": "b", "statistic": "p99"}),
            ("request_throughput", 1.2, {"engine": "b"}),
        ),
    ),
    "decimal commas in Markdown": PeoplesTable(
        "comma.md",
        "| Fall | GPUs | Zeit | Rate (1/s) |\n|---|---|---|---|\n| a | 0,1 | 12,5 ms | 1.250,5 |\n"
        "| b | 2,3 | 2,75 s | 800,5 |\n",
        4,
        (("latency", 0.0125, {"fall": "a"}), ("latency", 2.75, {"fall": "b"}), ("rate", 1250.5, {})),
    ),
    "a decimal comma in one column, a point in another": PeoplesTable(
        "mixed.csv",
        "engine;time (s);throughput (req/s)\na;1,25;800.5\nb;0,75;1200.25\n",
        4,
        (("run_time", 0.75, {"engine": "b"}), ("request_throughput", 1200.25, {"engine": "b"})),
    ),
    "decimal commas in texts of JSON": PeoplesTable(
        "comma.json",
        '[{"name":"a","time_ms":"12,5","ram":"1.234,5 MiB"},{"name":"b","time_ms":"2,75","ram":"34,5 MiB"}]',
        4,
        (("latency", 2.75e-3, {"case": "b"}), ("ram", 1234.5 * 2**20, {"case": "a"})),
    ),
    "approximate numbers": PeoplesTable(
        "about.md",
        "| Decoder | Time (ms) | Memory (MiB) |\n|---|---|---|\n| a | ~120 | \u224812.5 |\n| b | ca. 31 | 6 |\n",
        4,
        (("latency", 0.12, {"decoder": "a"}), ("memory_used", 12.5 * 2**20, {"decoder": "a"})),
    ),
    "a row for each quantity, with units in its cells": PeoplesTable(
        "versions.md",
        "| Benchmark | v1.0 | v2.0 |\n|---|---|---|\n| startup time | 1.25 s | 850 ms |\n"
        "| memory usage | 120 MiB | 98.5 MiB |\n| requests/s | 12,500 | 18,200 |\n",
        6,
        (
            ("startup_time", 0.85, {"version": "v2.0"}),
            ("memory_used", 120 * 2**20, {"version": "v1.0"}),
            ("request_throughput", 18200, {"version": "v2.0"}),
        ),
    ),
    "rows that name the group of the rows below": PeoplesTable(
        "groups.md",
        "| Model | Batch | Latency (ms) |\n|---|---|---|\n| **A100** | | |\n| resnet | 1 | 2.5 |\n| resnet | 8 | 12.5 |\n"
        "| **H100** | | |\n| resnet | 1 | 1.5 |\n| resnet | 8 | 7.5 |\n",
        4,
        (
            ("latency", 12.5e-3, {"device": "A100", "batch_size": 8}),
            ("latency", 1.5e-3, {"device": "H100", "batch_size": 1, "model": "resnet"}),
        ),
    ),
    "a row without numbers, which is not a group": PeoplesTable(
        "gap.csv",
        "model,batch,time (ms)\na,1,2.5\nb,,\nc,4,3.5\n",
        2,
        (("latency", 3.5e-3, {"model": "c", "batch_size": 4}),),
    ),
    "a column that names the statistic, the mean, too": PeoplesTable(
        "stat.csv",
        "case,stat,time_ms\nsort,mean,1.25\nsort,min,1.1\nsort,max,1.9\njoin,mean,3.25\njoin,min,3.1\njoin,max,3.9\n",
        6,
        (
            ("latency", 1.25e-3, {"case": "sort", "statistic": "mean"}),
            ("latency", 3.9e-3, {"case": "join", "statistic": "maximum"}),
        ),
    ),
    "a ratio of two columns, found by arithmetic": PeoplesTable(
        "ur.csv",
        "kernel,torch_us,triton_us,torch/triton\nsoftmax,20.0,10.0,2.0\nln,30.0,12.0,2.5\n",
        4,
        (("latency", 1.2e-05, {"kernel": "ln", "framework": "triton"}),),
    ),
    "minus one in place of a time": PeoplesTable(
        "neg.csv",
        "model,batch,latency_ms\na,1,5.5\na,64,-1\nb,1,6.5\n",
        2,
        (("latency", 0.0065, {"model": "b"}),),
    ),
    "a file name of another metric": PeoplesTable(
        "latency_ms.csv", "batch,throughput\n1,100\n8,500\n", 0, (), open=frozenset(["throughput"])
    ),
    "a sentence about another table": PeoplesTable(
        "cap.md",
        "Memory (GiB) is listed elsewhere.\n"
        "\n"
        "| batch | A100 | H100 |\n"
        "|---|---|---|\n"
        "| 1 | 5.5 | 3.5 |\n"
        "| 8 | 9.5 | 6.25 |\n",
        0,
        (),
        open=frozenset(["A100", "H100"]),
    ),
    "a unit beside the table for one of its columns": PeoplesTable(
        "cu.md",
        "All memory in GiB.\n"
        "\n"
        "| model | latency | memory |\n"
        "|---|---|---|\n"
        "| a | 5.5 | 1.5 |\n"
        "| b | 6.5 | 2.5 |\n",
        2,
        (("memory_used", 2684354560.0, {}),),
        open=frozenset(["latency"]),
    ),
    "times that sum up by chance": PeoplesTable(
        "up.csv", "name,time (s)\na,1\nb,2\nc,3\n", 3, (("run_time", 3, {"name": None}),)
    ),
    "metrics without units in the first column": PeoplesTable(
        "mb.csv",
        "test,A100,H100\nbandwidth,1500.5,2900.5\nlatency,5.5,3.5\n",
        0,
        (),
        open=frozenset(["A100", "H100"]),
    ),
    "a number of devices in one name": PeoplesTable(
        "ts.csv", "model,train (s),train (s) 8 GPUs\na,100,15\nb,200,30\n", 4, ()
    ),
    "JSON with lists of sizes and times": PeoplesTable(
        "nl.json",
        '[{"name":"a","sizes":[1,2,4],"time_ms":[1.5,2.5,4.5]},{"name":"b","sizes":[1,2,4],"time_ms":[1.25,2.25,4.25]}]',
        0,
        (),
        open=frozenset(["time_ms"]),
    ),
    "JSON with labels and rows without a metric": PeoplesTable(
        "sj.json",
        '{"labels":["a","b","c"],"data":[[1.5,2.5,3.5],[4.5,5.5,6.5]],"title":"Latency (ms)"}',
        0,
        (),
        open=frozenset(["a", "b", "c"]),
    ),
    "names in the first rows of groups, and notes": PeoplesTable(
        "go.csv",
        "gpu,note,batch,ms\nA100,,1,5.5\n,slow,8,9.5\nH100,,1,3.5\n,,8,6.5\n",
        4,
        (("latency", 0.0065, {"gpu": None, "device": "H100", "batch_size": 8}),),
    ),
    "measured rates first": PeoplesTable(
        "tq.csv",
        "QPS,model,latency_ms\n120.5,a,8.3\n95.25,b,10.5\n",
        4,
        (("request_throughput", 95.25, {"model": "b"}),),
    ),
    "a load in steps": PeoplesTable(
        "qp.csv",
        "qps,p99_ms\n100,5.5\n200,6.5\n400,9.5\n",
        3,
        (("latency", 0.0095, {"request_rate": 400, "statistic": "p99"}),),
    ),
    "ranks in parentheses": PeoplesTable(
        "rp.md",
        "| Model | Score | Latency (ms) |\n|---|---|---|\n| a | 81.5 | 5.5 (2) |\n| b | 79.5 | 4.5 (1) |\n",
        2,
        (("latency", 0.0055, {"model": "a"}),),
        open=frozenset(["Score"]),
    ),
    "a table for each device": PeoplesTable(
        "bench.md",
        "# Bench\n"
        "\n"
        "## A100\n"
        "\n"
        "| Model | Latency (ms) |\n"
        "|---|---|\n"
        "| a | 5.5 |\n"
        "| b | 6.5 |\n"
        "\n"
        "## H100\n"
        "\n"
        "| Model | Latency (ms) |\n"
        "|---|---|\n"
        "| a | 3.5 |\n"
        "| b | 4.5 |\n",
        4,
        (("latency", 0.0045, {"model": "b"}),),
    ),
    "the unit names the metric": PeoplesTable(
        "uc.csv",
        "Test,Value,Unit\nMemcpy,23.4,GB/s\nLaunch latency,4.5,us\nFP32,19.1,TFLOPS\n",
        3,
        (("bandwidth", 23400000000.0, {}), ("latency", 4.5e-06, {}), ("flops", 19100000000000.0, {})),
    ),
    "a speed as a multiple": PeoplesTable(
        "ff.csv",
        "preset,fps,speed,bitrate_kbps\nfast,120.5,4.02x,2500\nslow,30.25,1.01x,2100\n",
        2,
        (("throughput", 120.5, {"preset": "fast"}),),
        open=frozenset(["bitrate_kbps"]),
    ),
    "names of runs that look like sizes": PeoplesTable(
        "sum.md",
        "| Run | GPUs | Global batch | Time/step | Tokens/s/GPU | MFU |\n"
        "|---|---|---|---|---|---|\n"
        "| 7B | 64 | 1024 | 3.21 s | 3,310 | 52.1% |\n"
        "| 13B | 128 | 1024 | 3.05s | 1,740 | 50.3% |\n",
        6,
        (
            ("step_time", 3.05, {"devices": 128, "global_batch_size": 1024}),
            ("throughput_per_device", 3310, {"devices": 64}),
            ("mfu", 0.503, {}),
        ),
    ),
    "a name only in the first row of its group": PeoplesTable(
        "grp.csv",
        "model,batch,latency_ms\nresnet,1,5.5\n,8,9.5\n,32,30.5\nvit,1,7.5\n,8,14.5\n",
        5,
        (("latency", 0.0305, {"model": "resnet", "batch_size": 32}),),
    ),
    "a spread with its unit": PeoplesTable(
        "pm.txt",
        "kernel      time\n"
        "add         12.5 us ± 0.3 us\n"
        "mul         13.5 us ± 0.2 us\n"
        "exp         30.25 us ± 1.5 us\n",
        3,
        (("latency", 3.025e-05, {"kernel": "exp"}),),
    ),
    "numbers as names of columns": PeoplesTable(
        "wb.csv",
        "model,1,8,32\nresnet50,5.5,9.5,30.5\nvit,7.5,14.5,50.5\n",
        0,
        (),
        open=frozenset(["1", "32", "8"]),
    ),
    "numbers as names of columns, below a caption": PeoplesTable(
        "wb.md",
        "### Latency (ms) by batch size\n"
        "\n"
        "| model | 1 | 8 | 32 |\n"
        "|---|---|---|---|\n"
        "| resnet50 | 5.5 | 9.5 | 30.5 |\n"
        "| vit | 7.5 | 14.5 | 50.5 |\n",
        6,
        (("latency", 0.0145, {"model": "vit"}),),
    ),
    "the corner names rows and columns": PeoplesTable(
        "corner.csv",
        "tok/s: batch \\ tp,1,2,4\n1,30.5,55.5,90.5\n8,200.5,380.5,640.5\n",
        6,
        (("throughput", 380.5, {"item": "token"}),),
    ),
    "one time in two units": PeoplesTable(
        "two.csv", "size_mb,time_us,time_ms\n1,1500,1.5\n8,9500,9.5\n", 2, ()
    ),
    "a rate without a unit, found by arithmetic": PeoplesTable(
        "tp.csv",
        "batch_size,step_time_s,throughput\n32,0.16,200\n64,0.30,213.3\n128,0.58,220.7\n",
        6,
        (("throughput", 213.3, {"batch_size": 64}), ("step_time", 0.58, {})),
    ),
    "a time without a unit, found by arithmetic": PeoplesTable(
        "la.csv",
        "batch_size,latency,images_per_sec\n1,5.0,200\n8,10.0,800\n32,25.0,1280\n",
        6,
        (("latency", 0.01, {"batch_size": 8}),),
    ),
    "Spanish headers": PeoplesTable(
        "es.csv",
        "Modelo;Lote;Tiempo por época (s);Imágenes/s\nresnet;64;152,3;845,2\nvgg;64;301,7;420,1\n",
        4,
        (
            ("epoch_time", 152.3, {"model": "resnet", "batch_size": 64}),
            ("throughput", 420.1, {"model": "vgg"}),
        ),
    ),
    "JSON with a metric above devices": PeoplesTable(
        "md.json",
        '{"latency_ms":{"A100":5.5,"H100":3.5},"power_w":{"A100":310,"H100":520}}',
        4,
        (("latency", 0.0035, {"device": "H100"}), ("power", 310, {"device": "A100"})),
    ),
    "before and after": PeoplesTable(
        "ba.md",
        "| Query | Before (s) | After (s) | Speedup |\n"
        "|---|---|---|---|\n"
        "| q1 | 10.5 | 5.25 | 2.0x |\n"
        "| q2 | 7.5 | 5.0 | 1.5x |\n",
        4,
        (("run_time", 5.0, {"query": "q2"}),),
    ),
    "a sum behind dashes": PeoplesTable(
        "dt.csv",
        "phase,ms\ndata,5.0\nforward,20.0\nbackward,40.0\noptimizer,5.0\n---,70.0\n",
        4,
        (("latency", 0.04, {"phase_factor": "backward"}),),
    ),
    "the separator in the first line": PeoplesTable(
        "xs.csv", "sep=;\nmodel;fps\na;100,5\nb;200,5\n", 2, (("throughput", 200.5, {"model": "b"}),)
    ),
    "a column for each version": PeoplesTable(
        "ver.md",
        "| Benchmark | v1.12 (ms) | v2.0 (ms) | v2.1 (ms) |\n"
        "|---|---|---|---|\n"
        "| train | 150.5 | 120.5 | 118.5 |\n"
        "| infer | 50.5 | 40.5 | 39.5 |\n",
        6,
        (("latency", 0.1205, {"benchmark": "train"}),),
    ),
    "a table as pandas prints it": PeoplesTable(
        "pd.txt",
        "          model  batch  latency_ms\n"
        "0      resnet50      1         5.5\n"
        "1      resnet50      8         9.5\n"
        "2           vit      1         7.5\n",
        3,
        (("latency", 0.0095, {"model": "resnet50", "batch_size": 8}),),
    ),
    "times of other things beside a latency": PeoplesTable(
        "cw.csv",
        "model,load time (s),cold start (ms),warm latency (ms)\nllama,12.5,850,45.5\nphi,4.5,400,20.5\n",
        6,
        (("latency", 0.0455, {"model": "llama"}),),
    ),
    "a change in percent under a sign": PeoplesTable(
        "dc.md",
        "| Op | main (us) | PR (us) | Δ |\n"
        "|---|---|---|---|\n"
        "| add | 10.5 | 9.5 | -9.5% |\n"
        "| mul | 12.0 | 12.6 | +5.0% |\n",
        4,
        (("latency", 9.5e-06, {"op": "add"}),),
    ),
    "rates and times of models, a row for each": PeoplesTable(
        "ur.csv",
        "Benchmark,H100,A100\n"
        "ResNet-50 (img/s),4100,2500\n"
        "BERT (seq/s),1200,650\n"
        "GPT step (ms),210.5,390.5\n",
        6,
        (("throughput", 2500, {"device": "A100"}),),
    ),
    "JSON with a list of runs": PeoplesTable(
        "nr.json",
        '{"name":"attn","runs":[{"ms":1.5},{"ms":1.6},{"ms":1.55}],"gpu":"A100"}',
        3,
        (("latency", 0.0016, {"device": "A100"}),),
    ),
    "JSON with names of several words": PeoplesTable(
        "rc.json",
        '{"bs1_fp16":{"latency_ms":1.5},"bs8_fp16":{"latency_ms":4.5},"bs8_fp32":{"latency_ms":8.5}}',
        3,
        (("latency", 0.0085, {}),),
    ),
    "JSON with statistics and their unit": PeoplesTable(
        "st.json",
        '{"benchmarks":{"encode":{"time":{"mean":1.5,"std":0.1,"unit":"ms"}},"decode":{"time":{"mean":2.5,"std":0.2,"unit":"ms"}}}}',
        2,
        (("latency", 0.0025, {"case": "decode"}),),
    ),
    "a column for each number of devices, a rate in each row": PeoplesTable(
        "gw.csv",
        "Framework,1 GPU,2 GPUs,4 GPUs,8 GPUs\n"
        "DDP (img/s),400,790,1550,3010\n"
        "FSDP (img/s),380,750,1490,2900\n",
        8,
        (("throughput", 1550, {"devices": 4}),),
    ),
    "times of parts and of the whole": PeoplesTable(
        "sc.csv",
        "dataset,preprocess_sec,train_sec,eval_sec,total_sec\n"
        "cifar,10.5,300.5,20,331\n"
        "imnet,100,3000,200,3300\n",
        8,
        (("train_time", 300.5, {"dataset": "cifar"}),),
    ),
    "a caption in the first cell": PeoplesTable(
        "cr.csv",
        "Inference latency on Jetson Orin (ms),,\nModel,FP16,INT8\nyolov8n,5.5,3.5\nyolov8s,8.5,5.25\n",
        4,
        (("latency", 0.00525, {"model": "yolov8s", "precision": "INT8"}),),
    ),
    "the metric in a sentence of a document": PeoplesTable(
        "mp.md",
        "We measured throughput in tokens/s on one H100.\n"
        "\n"
        "| batch | Llama-2-7B | Mistral-7B |\n"
        "|---|---|---|\n"
        "| 1 | 110.5 | 115.5 |\n"
        "| 8 | 801.5 | 830.5 |\n"
        "\n"
        "Higher is better.\n",
        4,
        (("throughput", 830.5, {"batch_size": 8, "model": "Mistral-7B"}),),
    ),
    "a metric in the name of the file": PeoplesTable(
        "throughput_tokens_per_s.csv",
        "concurrency,vllm,sglang\n1,100.5,110.5\n8,700.5,760.5\n",
        4,
        (("throughput", 760.5, {"concurrency": 8, "framework": "sglang"}),),
    ),
    "a row for each statistic": PeoplesTable(
        "mm.csv",
        "stat,ttft_ms,tpot_ms\nmin,10.5,5.5\navg,15.5,6.25\nmax,30.5,9.5\n",
        6,
        (("ttft", 0.0155, {"statistic": "mean"}),),
    ),
    "clocks and temperatures": PeoplesTable(
        "cm.csv",
        "gpu,sm_clock_mhz,temp_c,power_w,img_s\nA100,1410,65,400,2500\nV100,1530,70,300,900\n",
        8,
        (("throughput", 900, {"device": "V100"}), ("power", 400, {})),
    ),
    "a header of two lines and a row of units": PeoplesTable(
        "g3.csv",
        ",A100,,H100,\n"
        ",fp16,fp32,fp16,fp32\n"
        "model,ms,ms,ms,ms\n"
        "bert,5.5,9.5,3.5,6.5\n"
        "gpt,8.5,15.5,5.5,10.5\n",
        8,
        (("latency", 0.0065, {"model": "bert", "device": "H100", "precision": "fp32"}),),
    ),
    "a column for each precision": PeoplesTable(
        "mp.csv",
        "Model,FP32 Latency (ms),FP16 Latency (ms),INT8 Latency (ms)\n"
        "resnet50,7.25,3.5,2.25\n"
        "bert,20.5,9.5,6.25\n",
        6,
        (("latency", 0.00225, {"model": "resnet50", "precision": "INT8"}),),
    ),
    "configurations as texts": PeoplesTable(
        "cs.csv",
        'config,tok/s\n"tp=1,bs=8",810.5\n"tp=2,bs=8",1500.5\n',
        2,
        (("throughput", 1500.5, {"config": "tp=2,bs=8"}),),
    ),
    "units after a comma": PeoplesTable(
        "ub.csv",
        "Size; Time, ms; Bandwidth, GB/s\n1024; 0.05; 20.5\n2048; 0.075; 27.25\n",
        4,
        (("latency", 5e-05, {"size": 1024}), ("bandwidth", 27250000000.0, {})),
    ),
    "a header over two lines": PeoplesTable(
        "hn.csv",
        'Model,"Latency\n(ms)","Throughput\n(img/s)"\na,5.5,180.5\nb,6.5,150.25\n',
        4,
        (("latency", 0.0065, {"model": "b"}),),
    ),
    "numbers of parameters": PeoplesTable(
        "lu.csv",
        "model,params,tokens_per_sec\na,7_000_000_000,1_250\nb,13_000_000_000,710\n",
        2,
        (("throughput", 1250, {"model": "a"}),),
    ),
    "comments beside results": PeoplesTable(
        "nt.csv",
        'model,latency_ms,comment\na,5.5,"fast, but inaccurate"\nb,9.5,\n',
        2,
        (("latency", 0.0095, {"model": "b"}),),
    ),
    "German counts": PeoplesTable(
        "dl.csv",
        "Messung;Anzahl GPUs;Dauer [s];Durchsatz [Token/s]\n1;1;100,5;1.020,4\n2;2;52,25;1.962,7\n",
        4,
        (("run_time", 52.25, {"devices": 2}), ("throughput", 1962.7, {})),
    ),
    "breaks in the header": PeoplesTable(
        "br.md",
        "| Model | TTFT<br>(ms) | Throughput<br>(tok/s) |\n"
        "|---|---|---|\n"
        "| a | 45.5 | 1200.5 |\n"
        "| b | 60.5 | 900.25 |\n",
        4,
        (("ttft", 0.0605, {"model": "b"}),),
    ),
    "JSON with an object of units": PeoplesTable(
        "juo.json",
        '{"units":{"latency":"ms","memory":"MiB"},"data":[{"model":"a","latency":5.5,"memory":512},{"model":"b","latency":6.5,"memory":640}]}',
        4,
        (("latency", 0.0065, {"model": "b"}), ("memory_used", 671088640, {})),
    ),
    "repeats in columns, and a row of units": PeoplesTable(
        "rcu.csv",
        "kernel,rep1,rep2,rep3\n,us,us,us\nadd,1.5,1.6,1.4\nmul,2.5,2.6,2.4\n",
        6,
        (("latency", 2.6e-06, {"kernel": "mul"}),),
    ),
    "jobs of a scheduler": PeoplesTable(
        "sacct.txt",
        "JobID|JobName|NNodes|Elapsed|State\n"
        "101|train|2|01:30:00|COMPLETED\n"
        "102|train|4|00:50:30|COMPLETED\n"
        "103|train|8|00:00:10|FAILED\n",
        2,
        (("run_time", 3030, {"nodes": 4}),),
    ),
    "sizes in binary units": PeoplesTable(
        "ps.csv",
        "message size,latency (us),bw (GB/s)\n8B,2.5,0.003\n1KiB,3.5,0.29\n4MiB,410.5,10.2\n",
        6,
        (("latency", 0.0004105, {"message_size": "4MiB"}),),
    ),
    "JSON with a header and rows": PeoplesTable(
        "ja.json",
        '{"header":["model","latency_ms"],"rows":[["a",5.5],["b",6.5]]}',
        2,
        (("latency", 0.0065, {"model": "b"}),),
    ),
    "JSON with a member for each day": PeoplesTable(
        "dd.json",
        '{"2025-01-01":{"tok_s":100.5},"2025-01-02":{"tok_s":110.25}}',
        2,
        (("throughput", 110.25, {}),),
    ),
    "millions of rows a second": PeoplesTable(
        "tm.csv",
        "impl,throughput (Mrows/s),memory (GiB)\na,12.5,1.5\nb,25.25,2.5\n",
        4,
        (("throughput", 25250000.0, {"impl": "b"}),),
    ),
    "numbers of rows": PeoplesTable(
        "ct.csv",
        "dataset,num_rows,time_seconds\nsmall,1000,0.5\nbig,100000,40.5\n",
        2,
        (("run_time", 40.5, {"num_rows": 100000}),),
    ),
    "lines of a spreadsheet around a table": PeoplesTable(
        "tn.csv",
        "Results of the nightly run,,\n"
        "Host: node7,,\n"
        ",,\n"
        "model,batch,latency_ms\n"
        "a,1,5.5\n"
        "b,1,6.5\n"
        ",,\n"
        "* batch is per GPU,,\n",
        2,
        (("latency", 0.0065, {"model": "b"}),),
    ),
    "metrics of two devices": PeoplesTable(
        "wm.csv",
        "model,H100_tok/s,A100_tok/s,H100_ttft_ms,A100_ttft_ms\n"
        "a,900.5,500.5,20.5,40.5\n"
        "b,450.25,240.5,35.5,80.25\n",
        8,
        (("ttft", 0.0405, {"model": "a", "device": "A100"}), ("throughput", 450.25, {"device": "H100"})),
    ),
    "what a device could reach": PeoplesTable(
        "sl.csv",
        "kernel,achieved GB/s,peak GB/s,% peak\ncopy,1500.5,2039,73.6\nscale,1450.25,2039,71.1\n",
        2,
        (("bandwidth", 1500500000000.0, {"kernel": "copy"}),),
    ),
    "JSON with lists for each test": PeoplesTable(
        "nm.json",
        '{"device":"cpu","measurements":{"sort":[{"n":1000,"time_us":55.5},{"n":10000,"time_us":700.5}],"search":[{"n":1000,"time_us":1.5},{"n":10000,"time_us":2.5}]}}',
        4,
        (("latency", 0.0007005, {"n": 10000}),),
    ),
    "results before settings": PeoplesTable(
        "wo.csv",
        "latency_ms,model,batch\n5.5,a,1\n9.5,a,8\n7.5,b,1\n",
        3,
        (("latency", 0.0095, {"model": "a", "batch_size": 8}),),
    ),
    "a metric in each row and a device in each column": PeoplesTable(
        "pr.csv",
        "model,metric,H100,A100\n"
        "a,latency_ms,5.5,9.5\n"
        "a,throughput_img_s,180.5,105.25\n"
        "b,latency_ms,7.5,12.5\n"
        "b,throughput_img_s,133.25,80.5\n",
        8,
        (("latency", 0.0125, {"model": "b"}), ("throughput", 180.5, {"model": "a"})),
    ),
    "modes that look like totals": PeoplesTable(
        "pm.csv", "power mode,latency (ms)\neco,100\nbalanced,200\nmax,300\n", 3, (("latency", 0.3, {}),)
    ),
    "an ablation called all": PeoplesTable(
        "ab.csv", "optimizations,ms\nnone,12.5\nhalf,9.5\nall,7.25\n", 3, (("latency", 0.00725, {}),)
    ),
    "a total that is not the sum": PeoplesTable(
        "tn.csv", "stage,s\nload,10.5\ntrain,90.5\ntotal,120.5\n", 2, (("run_time", 90.5, {}),)
    ),
    "a row without a flag": PeoplesTable(
        "ef.csv",
        "flags,time (s)\n-O3,10.5\n,20.5\n-O2,12.5\n",
        3,
        (("run_time", 12.5, {"flags": "-O2"}), ("run_time", 20.5, {"flags": None})),
    ),
    "a table of Org mode": PeoplesTable(
        "o.org",
        "#+CAPTION: attention kernels\n"
        "| kernel | seqlen | fwd (ms) | bwd (ms) |\n"
        "|--------+--------+----------+----------|\n"
        "| flash2 | 1024 | 0.25 | 0.75 |\n"
        "| flash2 | 4096 | 2.5 | 7.25 |\n"
        "| sdpa | 1024 | 0.5 | 1.25 |\n",
        6,
        (("step_time", 0.00725, {"kernel": "flash2", "seq_len": 4096}),),
    ),
    "a table as psql prints it": PeoplesTable(
        "q.txt",
        " model | batch | tok_s \n"
        "-------+-------+-------\n"
        " a     |     1 |  80.5\n"
        " a     |     8 | 510.25\n"
        "(2 rows)\n",
        2,
        (("throughput", 510.25, {"model": "a", "batch_size": 8}),),
    ),
    "a grid with rules between rows": PeoplesTable(
        "gr.txt",
        "+--------+---------+\n"
        "| Model  | ms/iter |\n"
        "+========+=========+\n"
        "| unet   | 120.5   |\n"
        "+--------+---------+\n"
        "| vae    | 30.25   |\n"
        "+--------+---------+\n",
        2,
        (("step_time", 0.1205, {"model": "unet"}),),
    ),
    "JSON with values and units in summaries": PeoplesTable(
        "nc.json",
        '{"experiments":[{"id":"e1","config":{"gpus":8,"strategy":"ddp"},"summary":{"throughput":{"value":5120.5,"unit":"samples/s"},"step_time":{"value":200.5,"unit":"ms"}}},{"id":"e2","config":{"gpus":8,"strategy":"fsdp"},"summary":{"throughput":{"value":4800.25,"unit":"samples/s"},"step_time":{"value":213.25,"unit":"ms"}}}]}',
        4,
        (
            ("throughput", 4800.25, {"devices": 8, "strategy": "fsdp"}),
            ("step_time", 0.2005, {"strategy": "ddp"}),
        ),
    ),
    "a column for each year": PeoplesTable(
        "yr.csv",
        "GPU,2022 (img/s),2023 (img/s),2024 (img/s)\nA100,2000.5,2300.5,2500.25\nV100,700.5,720.5,730.25\n",
        6,
        (("throughput", 2300.5, {"device": "A100"}),),
    ),
    "points that may be both": PeoplesTable(
        "dt.csv", "Modell;Tokens/s\nA;12.345\nB;9.876\n", 0, (), open=frozenset(["Tokens/s"])
    ),
    "a date and a time of day": PeoplesTable(
        "dtc.csv",
        "Date,Time,GPU,Latency (ms)\n2025-01-02,10:15,A100,5.5\n2025-01-02,10:30,H100,3.5\n",
        2,
        (("latency", 0.0035, {"device": "H100"}),),
    ),
    "statistics with units in cells": PeoplesTable(
        "wmu.csv",
        "case,cold start,p50,p99,peak rss\n"
        "a,1.25 s,12.5 ms,40.5 ms,512 MiB\n"
        "b,0.75 s,9.5 ms,25.25 ms,256 MiB\n",
        8,
        (("peak_rss", 256 * 2**20, {"case": "b"}),),
    ),
    "totals in a row and a column": PeoplesTable(
        "tcr.csv",
        "model,load_s,infer_s,total_s\na,1.5,3.5,5.0\nb,2.5,4.25,6.75\nall,4.0,7.75,11.75\n",
        6,
        (("run_time", 6.75, {"model": "b"}),),
    ),
    "versions below a word of all": PeoplesTable(
        "gm.md",
        "| Benchmark | CPython 3.11 (ms) | CPython 3.12 (ms) |\n"
        "|---|---|---|\n"
        "| nbody | 80.5 | 75.25 |\n"
        "| json | 5.5 | 5.25 |\n"
        "| geometric mean | 21.04 | 19.88 |\n",
        4,
        (("latency", 0.07525, {"benchmark": "nbody"}),),
    ),
    "a device, a precision and a batch size in each name": PeoplesTable(
        "ct.csv",
        "model,A100 fp16 bs=1 (ms),A100 fp16 bs=8 (ms),H100 fp16 bs=1 (ms)\n"
        "a,5.5,9.5,3.5\n"
        "b,7.5,14.25,5.25\n",
        6,
        (("latency", 0.0095, {"model": "a"}),),
    ),
    "JSON with seeds": PeoplesTable(
        "sj.json",
        '[{"algo":"ppo","seed":0,"fps":1050.5,"reward":200.5},{"algo":"ppo","seed":1,"fps":1060.25,"reward":198.5},{"algo":"sac","seed":0,"fps":310.5,"reward":250.25}]',
        3,
        (("throughput", 1060.25, {"algo": "ppo"}),),
        open=frozenset(["reward"]),
    ),
    "JSON with a member for each test": PeoplesTable(
        "sg.json",
        '{"device":"nvme0","tests":{"seq_read":{"bw_MBps":6800.5,"lat_us":75.5},"rand_read":{"bw_MBps":2900.25,"lat_us":90.5}}}',
        4,
        (("bandwidth", 6800500000.0, {}), ("latency", 9.05e-05, {})),
    ),
    "a row of device counts above a row of rates": PeoplesTable(
        "se.csv",
        "GPUs;1;2;4;8\nimg/s;350,5;690,25;1360,5;2650,75\n",
        4,
        (("throughput", 1360.5, {"devices": 4}),),
    ),
    "times of variants, a row for each": PeoplesTable(
        "kv.csv",
        "variant,M=1024,M=2048,M=4096\nnaive (ms),5.5,40.5,320.25\ntiled (ms),1.5,10.25,80.5\n",
        6,
        (("latency", 0.01025, {}),),
    ),
    "a model zoo": PeoplesTable(
        "zoo.md",
        "| Config | Backbone | Lr schd | Mem (GB) | Inf time (fps) | box AP |\n"
        "|---|---|---|---|---|---|\n"
        "| a | R-50 | 1x | 4.4 | 16.1 | 38.2 |\n"
        "| b | R-101 | 2x | 6.4 | 13.5 | 40.8 |\n",
        4,
        (("throughput", 13.5, {}), ("memory_used", 6.4e9, {})),
        open=frozenset(["box AP"]),
    ),
    "LaTeX with letters below a shared header": PeoplesTable(
        "c.tex",
        "\\begin{tabular}{r|rrr}\n"
        "Threads & \\multicolumn{3}{c}{Time (s)} \\\\\n"
        " & A & B & C \\\\\n"
        "\\hline\n"
        "1 & 10.5 & 12.5 & 14.5 \\\\\n"
        "8 & 1.5 & 1.75 & 2.25 \\\\\n"
        "\\end{tabular}\n",
        6,
        (("run_time", 1.75, {"threads": 8}),),
    ),
    "JSON of one load": PeoplesTable(
        "oa.json",
        '{"model":"m","endpoint":"/v1/chat","concurrency":8,"duration_s":30.5,"requests":{"total":240,"failed":0},"latency_ms":{"avg":950.5,"p50":900.5,"p95":1500.25},"tokens_per_second":410.5}',
        6,
        (
            ("latency", 0.9005, {"statistic": "median", "model": "m", "concurrency": 8}),
            ("run_time", 30.5, {}),
            ("requests_failed", 0, {}),
        ),
    ),
    "three rates of tokens": PeoplesTable(
        "tt.csv",
        "model,prompt tok/s,gen tok/s,total tok/s\na,1200.5,50.5,1251\nb,900.25,40.25,940.5\n",
        6,
        (
            ("input_token_throughput", 1200.5, {}),
            ("output_token_throughput", 40.25, {}),
            ("total_token_throughput", 1251, {}),
        ),
    ),
    "JSON with one list": PeoplesTable(
        "ln.json", '{"latencies_ms":[1.5,1.6,1.7],"model":"a"}', 3, (("latency", 0.0016, {"model": "a"}),)
    ),
    "JSON with lists that belong to a list outside": PeoplesTable(
        "ga.json",
        '{"batch_sizes":[1,8,32],"results":{"fp16":{"latency_ms":[1.5,4.5,12.5]},"fp32":{"latency_ms":[2.5,8.5,25.5]}}}',
        0,
        (),
        open=frozenset(["latency_ms"]),
    ),
    "Markdown with a second line of names below the rule": PeoplesTable(
        "scaling.md",
        "| Model | 32 GPUs | | 128 GPUs | |\n"
        "|---|---|---|---|---|\n"
        "| | Tok/s/GPU | MFU | Tok/s/GPU | MFU |\n"
        "| 7B | 3500 | 52% | 3300 | 49% |\n"
        "| 13B | 1900 | 55% | 1800 | 52% |\n"
        "| 70B | 350 | 54% | 330 | 50% |\n",
        12,
        (
            ("throughput_per_device", 3300, {"devices": 128, "model": "7B"}),
            ("mfu", 0.54, {"devices": 32, "model": "70B"}),
        ),
    ),
    "Markdown with two lines of names above the rule": PeoplesTable(
        "scaling.md",
        "| Model | 32 GPUs | | 128 GPUs | |\n"
        "| | Tok/s/GPU | MFU | Tok/s/GPU | MFU |\n"
        "|---|---|---|---|---|\n"
        "| 7B | 3500 | 52% | 3300 | 49% |\n"
        "| 13B | 1900 | 55% | 1800 | 52% |\n",
        8,
        (
            ("throughput_per_device", 3300, {"devices": 128, "model": "7B"}),
            ("mfu", 0.52, {"devices": 128, "model": "13B"}),
        ),
    ),
    "Markdown whose upper names are repeated": PeoplesTable(
        "x.md",
        "| | Batch 1 | Batch 1 | Batch 64 | Batch 64 |\n"
        "|---|---:|---:|---:|---:|\n"
        "| **Model** | **Latency (ms)** | **Memory (GiB)** | **Latency (ms)** | **Memory (GiB)** |\n"
        "| unet | 12.5 | 3.5 | 300.5 | 30.5 |\n"
        "| vit | 5.5 | 1.5 | 120.5 | 10.5 |\n",
        8,
        (
            ("latency", 0.3005, {"batch_size": 64, "model": "unet"}),
            ("memory_used", 1610612736.0, {"batch_size": 1, "model": "vit"}),
        ),
    ),
    "LaTeX with rules between two lines of names": PeoplesTable(
        "t.tex",
        "\\begin{tabular}{lcccc}\n"
        "\\toprule\n"
        " & \\multicolumn{2}{c}{32 GPUs} & \\multicolumn{2}{c}{128 GPUs} \\\\\n"
        "\\cmidrule(lr){2-3}\\cmidrule(lr){4-5}\n"
        "Model & Tok/s/GPU & MFU & Tok/s/GPU & MFU \\\\\n"
        "\\midrule\n"
        "7B & 3500 & 52\\% & 3300 & 49\\% \\\\\n"
        "13B & 1900 & 55\\% & 1800 & 52\\% \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n",
        8,
        (
            ("throughput_per_device", 3300, {"devices": 128, "model": "7B"}),
            ("mfu", 0.52, {"devices": 128, "model": "13B"}),
        ),
    ),
    "printed names of three levels": PeoplesTable(
        "printed.txt",
        "           A100             H100\n"
        "           fp16     fp8     fp16     fp8\n"
        "kernel     TFLOP/s  TFLOP/s TFLOP/s  TFLOP/s\n"
        "------------------------------------------------\n"
        "gemm       250.5    260.1   700.2    1300.4\n"
        "conv       180.5    190.1   500.2    900.4\n",
        8,
        (("flops", 700200000000000.0, {"device": "H100", "precision": "fp16"}),),
    ),
    "batch sizes in names that are whole and powers of two": PeoplesTable(
        "latency_ms.csv",
        "model,bs1,bs8,bs 32,bs64\na,2.0,5.5,16.5,32.0\nb,4.0,9.0,31.0,60.5\n",
        8,
        (
            ("latency", 0.002, {"model": "a", "batch_size": 1}),
            ("latency", 0.0165, {"model": "a", "batch_size": 32}),
        ),
    ),
    "two factors in the names of columns": PeoplesTable(
        "gemm.md",
        "GEMM throughput in TFLOP/s\n"
        "\n"
        "| size | bf16 cuBLASLt | bf16 Triton | fp8 cuBLASLt | fp8 Triton |\n"
        "|---|---|---|---|---|\n"
        "| 1024 | 300.5 | 280.5 | 500.5 | 450.5 |\n"
        "| 2048 | 450.5 | 430.5 | 800.5 | 770.5 |\n"
        "| 4096 | 600.5 | 590.5 | 1100.5 | 1050.5 |\n",
        12,
        (
            ("flops", 430500000000000.0, {"precision": "bf16", "framework": "Triton"}),
            ("flops", 500500000000000.0, {"precision": "fp8", "framework": "cuBLASLt"}),
        ),
    ),
    "metrics above devices": PeoplesTable(
        "l.md",
        "| Model | Latency (ms) | | Throughput (img/s) | |\n"
        "|---|---|---|---|---|\n"
        "| | A100 | H100 | A100 | H100 |\n"
        "| r50 | 5.5 | 3.5 | 2000 | 3000 |\n"
        "| vit | 7.5 | 4.5 | 1500 | 2500 |\n",
        8,
        (
            ("latency", 0.0035, {"device": "H100", "model": "r50"}),
            ("throughput", 1500, {"device": "A100", "model": "vit"}),
        ),
    ),
    "numbers of devices above three metrics": PeoplesTable(
        "l.md",
        "|  |  | 1 GPU |  |  | 8 GPUs |  |  |\n"
        "|:--|:--|--:|--:|--:|--:|--:|--:|\n"
        "| Model | Params (M) | img/s | ms/step | Power (W) | img/s | ms/step | Power (W) |\n"
        "| r50 | 25.6 | 2000 | 32.0 | 350 | 15000 | 34.1 | 2800 |\n"
        "| vit | 86.6 | 1000 | 64.0 | 380 | 7600 | 67.4 | 3000 |\n",
        12,
        (
            ("throughput", 7600, {"devices": 8, "model": "vit"}),
            ("power", 350, {"devices": 1, "model": "r50"}),
        ),
    ),
    "data sets above metrics": PeoplesTable(
        "l.csv",
        "Model,ImageNet,,COCO,\n"
        ",Time (s),Accuracy (%),Time (s),Accuracy (%)\n"
        "r50,5.5,76.1,30.5,40.2\n"
        "vit,7.5,80.3,41.5,44.5\n",
        8,
        (
            ("run_time", 30.5, {"variant": "COCO", "model": "r50"}),
            ("accuracy", 0.445, {"variant": "COCO", "model": "vit"}),
        ),
    ),
    "printed names of two levels above rules": PeoplesTable(
        "l.txt",
        "                 Batch 1                Batch 32\n"
        "            ------------------    -------------------\n"
        "Network      ms       img/s        ms        img/s\n"
        "resnet50     2.5      400.0       16.0      2000.0\n"
        "vgg16        3.2      312.5       40.0       800.0\n",
        8,
        (("throughput", 2000, {"batch_size": 32}),),
    ),
    "devices of a kind above metrics": PeoplesTable(
        "l.md",
        "| Engine | 8xH100 | | 16xH100 | |\n"
        "|---|---|---|---|---|\n"
        "| | TTFT (ms) | tok/s | TTFT (ms) | tok/s |\n"
        "| vLLM | 120.5 | 5000 | 80.5 | 9800 |\n"
        "| SGLang | 100.5 | 5200 | 75.5 | 10100 |\n",
        8,
        (("ttft", 0.0805, {"devices": 16, "device": "H100", "engine": "vLLM"}),),
    ),
    "an answer about one device holds for all": PeoplesTable(
        "dev.md",
        "| Model | A100 80GB | H100 | L40S | MI300X | B200 |\n"
        "|---|---|---|---|---|---|\n"
        "| a | 20 | 10 | 32 | 12 | 8 |\n"
        "| b | 40 | 25 | 64 | 24 | 16 |\n"
        "| c | 55 | 33 | 128 | 30 | 32 |\n",
        15,
        (
            ("latency", 0.128, {"device": "L40S", "model": "c"}),
            ("latency", 0.02, {"device": "A100 80GB", "model": "a"}),
        ),
        answers={"A100 80GB": "ms"},
    ),
    "answers about columns without usual names": PeoplesTable(
        "engines.csv",
        "query,pandas,polars,duckdb\nq1,64.5,16.5,80.5\nq2,512.5,112.5,600.5\nq3,1800.5,200.5,2100.5\n",
        9,
        (("latency", 2.1005, {"variant": "duckdb", "query": "q3"}),),
        answers={"pandas": "ms", "polars": "ms", "duckdb": "ms"},
    ),
    "a time with a fraction after the colon": PeoplesTable(
        "render.csv",
        "scene,render_time,samples\nbmw,1:23.45,128\nclassroom,4:05.10,256\nbarn,2:10.00,512\n",
        3,
        (("render_time", 83.45, {"scene": "bmw", "samples": 128}),),
    ),
    "LaTeX with numbers of siunitx": PeoplesTable(
        "t.tex",
        "\\begin{tabular}{lrr}\n"
        "\\hline\n"
        "Kernel & Time & Bandwidth \\\\\n"
        "\\hline\n"
        "copy & \\SI{1.2}{\\ms} & \\SI{410.5}{\\giga\\byte\\per\\second} \\\\\n"
        "scale & \\SI{1.3}{\\milli\\second} & \\qty{380}{GB/s} \\\\\n"
        "add & \\SI[separate-uncertainty]{950 \\pm 3}{\\micro\\second}\\footnotemark[1] & \\SI{500}{\\GB\\per\\s}$^{a}$ \\\\\n"
        "\\hline\n"
        "\\end{tabular}\n",
        6,
        (
            ("latency", 0.0012, {"kernel": "copy"}),
            ("latency", 0.00095, {"kernel": "add"}),
            ("bandwidth", 500000000000.0, {"kernel": "add"}),
            ("bandwidth", 380000000000.0, {}),
        ),
    ),
    "LaTeX with powers of ten and marks": PeoplesTable(
        "t.tex",
        "\\begin{tabular}{l|c|c}\n"
        "Model & Time / epoch [s] & Peak mem. [GiB] \\\\ \\hline\n"
        "\\texttt{gcn} & $1.23\\times10^{2}$ & {\\bf 3.5} \\\\\n"
        "\\texttt{gat} & $2.5\\cdot 10^{2}$ & 4.5\\tnote{b} \\\\\n"
        "\\texttt{sage} & 99\\,s & 2.5 \\\\\n"
        "\\end{tabular}\n",
        6,
        (
            ("epoch_time", 123, {"model": "gcn"}),
            ("epoch_time", 250, {}),
            ("memory_used", 4831838208.0, {"model": "gat"}),
        ),
    ),
    "LaTeX with a unit of siunitx in a name": PeoplesTable(
        "t.tex",
        "\\begin{tabular}{lcc}\n"
        "\\textbf{Model} & \\textbf{Latency} (\\si{\\milli\\second}) & \\textbf{Speedup} \\\\\n"
        "\\midrule\n"
        "a & 12.5(3) & 1.00$\\times$ \\\\\n"
        "b & \\bfseries 8.5(1) & \\textbf{1.47}$\\times$ \\\\\n"
        "\\end{tabular}\n",
        2,
        (("latency", 0.0085, {"model": "b"}),),
    ),
    "a geometric mean with a point": PeoplesTable(
        "g.txt",
        "Benchmark      Time (s)   Ratio\n"
        "bzip2             10.51    1.00\n"
        "gcc               12.52    1.19\n"
        "mcf               22.53    2.14\n"
        "geo.mean          14.40    1.37\n",
        3,
        (("run_time", 22.53, {"benchmark": "mcf"}),),
    ),
    "geometric means in a row and in a column": PeoplesTable(
        "g.md",
        "Run time in seconds\n"
        "\n"
        "| Benchmark | gcc 13 | clang 17 | icx | Geomean |\n"
        "|---|---|---|---|---|\n"
        "| a | 10.5 | 9.5 | 8.5 | 9.46 |\n"
        "| b | 20.5 | 18.5 | 17.5 | 18.79 |\n"
        "| c | 5.5 | 6.5 | 4.5 | 5.44 |\n"
        "| **Geometric mean** | 10.6 | 10.5 | 8.75 | 9.9 |\n",
        9,
        (("run_time", 8.5, {"benchmark": "a", "case": "icx"}),),
    ),
    "JSON of three levels of names, one branch smaller": PeoplesTable(
        "r.json",
        '{"date": "2024-05-05", "results": {"llama": {"A100": {"bs1": {"latency_ms": 10.5, "tokens_per_s": 95.2}, "bs8": {"latency_ms": 15.5, "tokens_per_s": 516.1}}, "H100": {"bs1": {"latency_ms": 7.5, "tokens_per_s": 133.1}, "bs8": {"latency_ms": 9.5, "tokens_per_s": 842.5}}}, "qwen": {"H100": {"bs1": {"latency_ms": 8.5, "tokens_per_s": 117.1}}}}}',
        10,
        (
            ("latency", 0.0095, {"model": "llama", "device": "H100", "batch_size": 8}),
            ("latency", 0.0085, {"model": "qwen", "device": "H100", "batch_size": 1}),
        ),
    ),
    "JSON of two levels of names above lists": PeoplesTable(
        "r.json",
        '{"gemm": {"cuda": [{"n": 512, "time_us": 20.5}, {"n": 1024, "time_us": 60.5}], "triton": [{"n": 512, "time_us": 25.5}, {"n": 1024, "time_us": 66.5}]}, "softmax": {"cuda": [{"n": 512, "time_us": 5.5}], "triton": [{"n": 512, "time_us": 6.5}]}}',
        6,
        (
            ("latency", 6.65e-05, {"framework": "triton", "case": "gemm", "n": 1024}),
            ("latency", 5.5e-06, {"case": "softmax", "framework": "cuda"}),
        ),
    ),
    "JSON of names above lists above names": PeoplesTable(
        "r.json",
        '{"A100": [{"model": "r50", "results": {"fp16": {"latency_ms": 3.5}, "fp32": {"latency_ms": 6.5}}}, {"model": "vit", "results": {"fp16": {"latency_ms": 5.5}, "fp32": {"latency_ms": 9.5}}}], "H100": [{"model": "r50", "results": {"fp16": {"latency_ms": 2.5}}}]}',
        5,
        (
            ("latency", 0.0095, {"device": "A100", "model": "vit", "precision": "fp32"}),
            ("latency", 0.0025, {"device": "H100", "model": "r50"}),
        ),
    ),
    "JSON of names below keys that say what they are": PeoplesTable(
        "r.json",
        '{"models": {"llama-7b": {"gpus": {"1": {"tokens_per_s": 100.5}, "8": {"tokens_per_s": 700.5}}}, "llama-70b": {"gpus": {"8": {"tokens_per_s": 90.5}}}}, "config": {"dtype": "bf16"}}',
        3,
        (("throughput", 700.5, {"model": "llama-7b", "devices": 8, "precision": "bf16"}),),
    ),
    "JSON of names with points beside a unit": PeoplesTable(
        "r.json",
        '{"v1.2": {"conv": {"fwd": 1.5, "bwd": 3.5}, "gemm": {"fwd": 0.5, "bwd": 1.25}}, "v1.3": {"conv": {"fwd": 1.25, "bwd": 3.25}, "gemm": {"fwd": 0.25, "bwd": 1.0}}, "unit": "ms"}',
        8,
        (("step_time", 0.00125, {"version": "v1.3", "case": "conv"}),),
    ),
    "JSON of lists with two levels of names": PeoplesTable(
        "r.json",
        '{"runs": [{"gpu": "A100", "benchmarks": {"matmul": {"512": {"tflops": 50.5}, "1024": {"tflops": 110.5}}, "conv": {"512": {"tflops": 30.5}}}}, {"gpu": "H100", "benchmarks": {"matmul": {"512": {"tflops": 80.5}, "1024": {"tflops": 310.5}}, "conv": {"512": {"tflops": 60.5}}}}]}',
        6,
        (("flops", 310500000000000.0, {"device": "H100", "case": "matmul", "member": 1024}),),
    ),
    "benchstat of two versions and of two metrics": PeoplesTable(
        "b.txt",
        "name      old time/op    new time/op    delta\n"
        "Parse-8   1.23µs ± 2%    1.11µs ± 1%   -9.76%  (p=0.008 n=5+5)\n"
        "Print-8    456ns ± 1%     455ns ± 1%     ~     (p=0.690 n=5+5)\n"
        "Walk-8    3.45ms ± 0%    2.00ms ± 3%  -42.03%  (p=0.008 n=5+5)\n"
        "\n"
        "name      old alloc/op   new alloc/op   delta\n"
        "Parse-8     480B ± 0%      240B ± 0%  -50.00%  (p=0.008 n=5+5)\n"
        "Print-8     912B ± 0%      912B ± 0%     ~     (all equal)\n",
        6,
        (("action_time", 4.55e-07, {"variant": "new", "case": "Print-8"}),),
    ),
    "titles of passes with a unit after a comma": PeoplesTable(
        "lat.md",
        "## Forward, microseconds\n"
        "\n"
        "| seq | eager | compiled | flash |\n"
        "|---|---|---|---|\n"
        "| 512 | 100.5 | 60.5 | 40.5 |\n"
        "| 1024 | 300.5 | 160.5 | 90.5 |\n"
        "\n"
        "## Backward, microseconds\n"
        "\n"
        "| seq | eager | compiled | flash |\n"
        "|---|---|---|---|\n"
        "| 512 | 200.5 | 130.5 | 95.5 |\n"
        "| 1024 | 650.5 | 350.5 | 210.5 |\n",
        12,
        (("latency", 0.0003505, {"pass": "Backward", "framework": "compiled", "seq_len": 1024}),),
    ),
    "titles of batch sizes with a unit": PeoplesTable(
        "lat.md",
        "### Batch size 8 (ms)\n"
        "\n"
        "| Model | A100 | H100 |\n"
        "|---|---|---|\n"
        "| a | 10.5 | 6.5 |\n"
        "| b | 30.5 | 16.5 |\n"
        "\n"
        "### Batch size 64 (ms)\n"
        "\n"
        "| Model | A100 | H100 |\n"
        "|---|---|---|\n"
        "| a | 40.5 | 26.5 |\n"
        "| b | 130.5 | 86.5 |\n",
        8,
        (("latency", 0.1305, {"batch_size": 64, "device": "A100", "model": "b"}),),
    ),
    "titles of devices in CSV": PeoplesTable(
        "lat.csv",
        "# Latency on A100 [us]\n"
        "kernel,triton,cuda\n"
        "a,10.5,8.5\n"
        "b,12.5,9.5\n"
        "\n"
        "# Latency on H100 [us]\n"
        "kernel,triton,cuda\n"
        "a,6.5,5.5\n"
        "b,8.5,7.5\n",
        8,
        (("latency", 5.5e-06, {"device": "H100", "framework": "cuda", "kernel": "a"}),),
    ),
    "sizes of compressed files": PeoplesTable(
        "compress.csv",
        "codec,level,Size (bytes),Compression time (s)\n"
        "zstd,1,7012345,0.51\n"
        "zstd,3,6512345,0.83\n"
        "zstd,19,5112345,20.1\n"
        "lz4,1,8812345,0.22\n"
        "gzip,6,6612345,3.25\n",
        10,
        (("size", 7012345, {"codec": "zstd", "level": 1}), ("compression_time", 20.1, {"level": 19})),
    ),
    "a size that may be a setting or a result": PeoplesTable(
        "fmt.md",
        "| Format | File size (MB) | Write (s) | Read (s) |\n"
        "|---|---|---|---|\n"
        "| csv | 963.5 | 12.5 | 8.5 |\n"
        "| parquet | 210.1 | 3.2 | 1.1 |\n"
        "| feather | 402.7 | 1.9 | 0.7 |\n",
        6,
        (("run_time", 8.5, {"operation": "Read", "format": "csv"}),),
        open=frozenset(["File size (MB)"]),
    ),
    "an answer about a size": PeoplesTable(
        "fmt.md",
        "| Format | File size (MB) | Write (s) | Read (s) |\n"
        "|---|---|---|---|\n"
        "| csv | 963.5 | 12.5 | 8.5 |\n"
        "| parquet | 210.1 | 3.2 | 1.1 |\n"
        "| feather | 402.7 | 1.9 | 0.7 |\n",
        9,
        (("file_size", 963500000.0, {"format": "csv"}),),
        answers={"File size (MB)": "MB"},
    ),
    "sizes of a file for each codec": PeoplesTable(
        "x.csv",
        "file,codec,File size (MB),Time (s)\n"
        "a,zstd,97.8,5.5\n"
        "a,lz4,97.8,2.5\n"
        "b,zstd,330.3,9.5\n"
        "b,lz4,330.3,4.5\n",
        4,
        (("run_time", 2.5, {"file_size_mb": 97.8, "codec": "lz4"}),),
    ),
    "memory and sizes of several tools": PeoplesTable(
        "x.csv",
        "tool,version,max_rss_kb,elapsed (s),Binary size (KB),out_bytes,heap_mb\n"
        "a,1.0,51232,5.5,812.5,12345,10.5\n"
        "a,1.1,50012,5.25,840.25,12311,9.5\n"
        "b,1.0,90012,3.5,1400.5,13001,25.5\n"
        "b,1.1,90500,3.25,1399.5,13020,26.5\n",
        20,
        (("binary_size", 1400500.0, {"tool": "b", "version": "1.0"}), ("heap", 10500000.0, {})),
    ),
    "devices with watts in their names": PeoplesTable(
        "runtime_s.csv",
        "dataset,Jetson 15 W,Jetson 30 W,Orin 60 W\nkitti,10,6,4\ncoco,20,12,8\n",
        6,
        (("run_time", 12, {"dataset": "coco", "case": "Jetson 30 W"}),),
    ),
    "LaTeX with one name above two columns of four": PeoplesTable(
        "t.tex",
        "\\begin{tabular}{@{}llrr@{}}\n"
        "\\toprule\n"
        "& & \\multicolumn{2}{c}{Latency [ms]} \\\\ \\cmidrule(l){3-4}\n"
        "Model & Precision & A100 & H100 \\\\ \\midrule\n"
        "\\multirow{2}{*}{ResNet} & FP16 & \\textbf{3.5} & 2.5$^{*}$ \\\\\n"
        " & FP32 & 6.5 & \\underline{4.5} \\\\ \\midrule\n"
        "\\multirow{2}{*}{ViT} & FP16 & 5.5 & 3.0 \\\\\n"
        " & FP32 & --- & 7.5 \\\\ \\bottomrule\n"
        "\\end{tabular}\n",
        7,
        (
            ("latency", 0.0045, {"model": "ResNet", "precision": "FP32", "device": "H100"}),
            ("latency", 0.0075, {"model": "ViT"}),
        ),
    ),
    "JSON of names below and between keys": PeoplesTable(
        "r.json",
        '{"benchmarks": {"allreduce": {"nodes": {"2": {"1MB": {"bus_bw_gbps": 1, "latency_us": 50.5}, "16MB": {"bus_bw_gbps": 2, "latency_us": 250.5}}, "4": {"1MB": {"bus_bw_gbps": 1.5, "latency_us": 70.5}}}}, "allgather": {"nodes": {"2": {"1MB": {"bus_bw_gbps": 1, "latency_us": 40.5}}}}}}',
        4,
        (("latency", 0.0002505, {"nodes": 2}),),
        open=frozenset(["bus_bw_gbps"]),
    ),
    "pandas with names of several levels": PeoplesTable(
        "tight.json",
        '{"index": [["a", "fp16", 1], ["a", "fp32", 8], ["b", "fp16", 1]],'
        ' "columns": [["latency_ms", "p50"], ["latency_ms", "std"], ["throughput_img_per_s", ""]],'
        ' "data": [[3.5, 0.25, 292.5], [41.5, 0.5, 763.5], [null, null, 67.5]],'
        ' "index_names": ["model", "precision", "batch"], "column_names": ["metric", "stat"]}',
        5,
        (
            ("latency", 0.0415, {"model": "a", "precision": "fp32", "batch_size": 8, "statistic": "median"}),
            ("throughput", 67.5, {"model": "b", "precision": "fp16", "batch_size": 1}),
        ),
    ),
    "pandas with an index without a name": PeoplesTable(
        "unnamed.json",
        '{"index": ["a", "b"], "columns": ["time_ms", "speed (img/s)"], "data": [[3.5, 292.5], [4.5, 281.5]],'
        ' "index_names": [null], "column_names": [null]}',
        4,
        (("latency", 0.0045, {"index_1": "b"}),),
    ),
    "HTML inside Markdown, each cell a head": PeoplesTable(
        "README.md",
        "# zip\n\n|Branch |Status |\n|-------|-------|\n|main |[![x](https://x.org/a.svg)](https://x.org) |\n\n"
        "<table>\n  <tr>\n    <th>Compressor</th><th>Compression</th><th>Decompression</th>\n  </tr>\n"
        "  <tr>\n    <th>quick (r9)</th><th>422&nbsp;MB/s</th><th>1820 MB/s</th>\n  </tr>\n"
        "  <tr>\n    <th>slow 1.2 -9</th><th>65 MB/s</th><th>280 MB/s</th>\n  </tr>\n</table>\n",
        4,
        (("bandwidth", 1820e6, {"compressor": "quick (r9)", "variant": "Decompression"}),),
    ),
    "a page of HTML with cells that span others, notes and sections": PeoplesTable(
        "page.html",
        "<html><body><h2>Run <b>times</b></h2><table class=x><caption>of one node</caption><thead>"
        "<tr><th rowspan=2>Model</th><th rowspan=2>Nodes</th><th colspan=2>Latency (ms)</th></tr>"
        "<tr><th>p50</th><th>p99</th></tr></thead><tbody>"
        "<tr><td colspan=4>NVIDIA</td></tr>\n<tr><td rowspan=2>bert</td><td>1</td><td>6.5<sup>1</sup></td><td>7.25</td></tr>\n"
        "<tr><td>2</td><td>3.5</td><td>n/a</td></tr><tr><td colspan=4>AMD</td></tr>"
        "<tr><td>bert</td><td>1</td><td>8.5</td><td>9.5</tr></tbody></table><p><sup>1</sup> warm</body></html>",
        5,
        (
            ("latency", 0.0065, {"model": "bert", "nodes": 1, "section": "NVIDIA", "statistic": "median"}),
            ("latency", 0.0095, {"model": "bert", "nodes": 1, "section": "AMD", "statistic": "p99"}),
        ),
    ),
    "tables with one header and a metric in each title": PeoplesTable(
        "results.md",
        "# Results\n\nPrompt speed (tokens/s) by model.\n\n| GPU | 7B | 70B |\n|---|---|---|\n| a | 3774.5 | OOM |\n"
        "| b | 4868.5 | 855.5 |\n\nGeneration speed (tokens/s) by model. Higher is better.\n\n"
        "| GPU | 7B | 70B |\n|---|---|---|\n| a | 118.5 | OOM |\n| b | 133.5 | 25.5 |\n",
        6,
        (
            ("input_token_throughput", 855.5, {"device": "b"}),
            ("output_token_throughput", 118.5, {"device": "a"}),
        ),
    ),
    "tables with one header below headings that repeat": PeoplesTable(
        "report.md",
        "# load\n\n## cold\n\n| run | Latency (ms) |\n|---|---|\n| a | 1200.5 |\n| b | 1300.5 |\n\n"
        "# decode\n\n## cold\n\n| run | Latency (ms) |\n|---|---|\n| a | 2200.5 |\n| b | 2300.5 |\n",
        4,
        (("latency", 2.3005, {"run": "b", "table": "decode: cold"}),),
    ),
    "Markdown with decimal commas": PeoplesTable(
        "ergebnisse.md",
        "| Browser | Median in ms | Durchsatz (MB/s) |\n|---|---:|---:|\n| A | 2289,50 | 1.005,5 |\n| B | 748,25 | 97,5 |\n",
        4,
        (("latency", 2.2895, {"browser": "A"}), ("bandwidth", 1005.5e6, {"browser": "A"})),
    ),
    "tables with a unit for each row, turned one by one": PeoplesTable(
        "bench.md",
        "## model a\n\n| 指标 | CPU | GPU | GPU/CPU |\n|---|---:|---:|---:|\n| 加载 | 340.5 ms | 1573.5 ms | 0.22× |\n"
        "| 吞吐 | 28.5 chunks/s | 276.5 chunks/s | 9.77× |\n| Recall | 100.0% | 100.0% | same |\n\n"
        "## model b\n\n| 指标 | CPU | GPU | GPU/CPU |\n|---|---:|---:|---:|\n| 加载 | 405.5 ms | 1726.5 ms | 0.23× |\n"
        "| 吞吐 | 24.5 chunks/s | 181.5 chunks/s | 7.39× |\n| Recall | 100.0% | 75.0% | same |\n",
        12,
        (
            ("throughput", 181.5, {"device": "GPU", "table": "model b"}),
            ("加载_time", 0.3405, {"device": "CPU", "table": "model a"}),
        ),
    ),
    "a time that is the same in each case is a setting": PeoplesTable(
        "summary.md",
        "| Model | Duration (ms) | Execution time (s) |\n|---|---:|---:|\n| tiny | 3600000 | 108 |\n"
        "| tiny | 7200000 | 152 |\n| base | 3600000 | 117 |\n| base | 7200000 | 222 |\n",
        4,
        (("execution_time", 222, {"model": "base", "duration_ms": 7200000}),),
    ),
    "a drawn table with a rule below some cells of its header": PeoplesTable(
        "grid.rst",
        "Times\n=====\n\n"
        "+---------+-------+-----------------+-----------------+\n"
        "| Test    | Model | latency pg (ms) | latency sq (ms) |\n"
        "|         |       +--------+--------+--------+--------+\n"
        "|         |       |  no tx |   tx   |  no tx |   tx   |\n"
        "+=========+=======+========+========+========+========+\n"
        "| Inserts | MP    |   3220 |   2660 |   3181 |   2766 |\n"
        "|         +-------+--------+--------+--------+--------+\n"
        "|         | AL    |   1963 |   1905 |   1998 |    N/A |\n"
        "+---------+-------+--------+--------+--------+--------+\n",
        7,
        (("latency", 1.905, {"test": "Inserts", "model": "AL"}),),
    ),
    "sizes with decimal commas, and a unit after a word": PeoplesTable(
        "sizes.md",
        "| Set | Speed (MB/s) | Data size (MB) | Latency (in ms) |\n|---|---:|---:|---:|\n| a | 2178,81 | 0,31 | 1,5 |\n"
        "| b | 555,18 | 0,28 | 2,5 |\n",
        6,
        (("size", 0.31e6, {"set": "a"}), ("latency", 0.0025, {"set": "b"})),
    ),
    "an empty cell of another case is empty": PeoplesTable(
        "langs.md",
        "| Label | Language | Runtime | time (s) |\n|---|---|---|---:|\n| cl | Lisp | SBCL | 3.25 |\n"
        "| cr | Crystal | | 3.5 |\n| c | C | Clang | 2.5 |\n",
        3,
        (("run_time", 3.5, {"language": "Crystal", "runtime": None}),),
    ),
    "numbers of Markdown in mathematics, with decimal commas": PeoplesTable(
        "math.md",
        "| # threads | latency |\n|---|---|\n| 1 | $3,786$ ms |\n| 2 | $392,65$ ms |\n| 4 | $4,2 \\pm 0,1$ ms |\n",
        3,
        (("latency", 0.39265, {"threads": 2}), ("latency", 0.0042, {"threads": 4})),
    ),
    "tables of LaTeX with one header, and two rows on a line": PeoplesTable(
        "two.tex",
        "\\begin{table}\n"
        "\\caption{Latency on A100}\n"
        "\\begin{tabular}{lr}\n"
        "\\toprule\n"
        "Model & Latency (ms) \\\\\n"
        "\\midrule\n"
        "bert & 1.5 \\\\\n"
        "vit & 2.5 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\end{table}\n"
        "Text between.\n"
        "\\begin{table}\n"
        "\\caption{Latency on H100}\n"
        "\\begin{tabular}{lr}\n"
        "\\toprule\n"
        "Model & Latency (ms) \\\\\n"
        "\\midrule\n"
        "bert & 0.5 \\\\ vit & 0.75 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\end{table}\n",
        4,
        (
            ("latency", 0.0015, {"model": "bert", "device": "A100"}),
            ("latency", 0.00075, {"model": "vit", "device": "H100"}),
        ),
    ),
    "rows of a metric and its value below no header": PeoplesTable(
        "run.csv",
        "total_time,12.5 s\npeak_memory,512 MB\nthroughput,80.5 images/s\n",
        3,
        (("run_time", 12.5, {}), ("memory_used", 512e6, {}), ("throughput", 80.5, {"item": "image"})),
    ),
    "lines of a metric and its value below no header": PeoplesTable(
        "run.txt",
        "Total time   1.5 s\nLatency      12.5 ms\nPeak memory  4.5 MB\n",
        3,
        (("run_time", 1.5, {}), ("latency", 0.0125, {}), ("memory_used", 4.5e6, {})),
    ),
    "bars in names without code": PeoplesTable(
        "queries.md",
        "| Query | Time (ms) | Memory (MB) |\n|--|--|--|\n| keys | 1.5 | 10 |\n| where | map | 2.5 | - |\n"
        "| a|b | 3.5 | 30 |\n| c || d | 4.5 | 40 |\n",
        7,
        (
            ("latency", 0.0025, {"query": "where | map"}),
            ("memory_used", 30e6, {"query": "a|b"}),
            ("latency", 0.0035, {"query": "a|b"}),
            ("latency", 0.0045, {"query": "c || d"}),
        ),
    ),
    "bars without blanks in names beside other texts": PeoplesTable(
        "patterns.md",
        "| Pattern | Tool | Time (ms) |\n|--|--|--|\n| abc | x | 1.5 |\n| (a|b)c | x | 2.5 |\n| (a|b)c | y | 3.5 |\n",
        3,
        (("latency", 0.0025, {"pattern": "(a|b)c", "tool": "x"}),),
    ),
    "lists in an object beside a list of their length": PeoplesTable(
        "matmul.json",
        '{"sizes": [16, 32, 64], "time_ms": {"mine": [1.5, 2.5, 3.5], "other": [0.5, 0.75, 9.5]}, "tries": [1, 2]}',
        6,
        (
            ("latency", 0.0025, {"sizes": 32, "case": "mine"}),
            ("latency", 0.0095, {"sizes": 64, "case": "other"}),
        ),
    ),
    "a sentence above a table below its heading": PeoplesTable(
        "machines.md",
        "# Runs\n\n## First\n\nRuns of today. All are fine.\n\n| Op | Time (ms) |\n|--|--|\n| x | 1.5 |\n| y | 2.5 |\n"
        "\nBetter than before.\n\n## Second\n\n| Op | Time (ms) |\n|--|--|\n| x | 3.5 |\n| y | 4.5 |\n",
        4,
        (("latency", 0.0015, {"table": "First"}), ("latency", 0.0045, {"table": "Second"})),
    ),
    "names of columns that are articles, or end as a percentile": PeoplesTable(
        "nets.csv",
        "net,a (ms),b (ms)\nn1,1.5,2.5\nn2,4.5,5.5\n",
        4,
        (("a_time", 0.0015, {"model": "n1"}), ("b_time", 0.0055, {"model": "n2"})),
    ),
    "names of columns with underscores that end as a percentile does": PeoplesTable(
        "nets.md",
        "| Device | tf_net_b0 | swin__base_p4 |\n|--|--|--|\n| x | 12.5 img/s | 10.5 img/s |\n| y | 22.5 img/s | 20.5 img/s |\n",
        4,
        (("throughput", 10.5, {"variant": "swin__base_p4", "statistic": None}),),
    ),
    "underscores in a grid of cases and modes": PeoplesTable(
        "grid.csv",
        "device,net_a eval (img/s),net_a train (img/s),net_b eval (img/s),net_b train (img/s)\nx,9.5,4.5,8.5,3.5\ny,8,4,7,3\n",
        8,
        (("throughput", 3.5, {"variant": "net_b", "mode": "train", "device": "x"}),),
    ),
    "a share in one row below the name of another metric": PeoplesTable(
        "sets.md",
        "| Structure | Memory Usage |\n|--|--|\n| Plain list (`list[int]`) | ~12.5 MB |\n| Bit set | ~0.5 MB |\n"
        "| **Savings** | **~96%** |\n",
        2,
        (
            ("memory_used", 12.5e6, {"structure": "Plain list (list[int])"}),
            ("memory_used", 0.5e6, {"structure": "Bit set"}),
        ),
    ),
    "a header that begins as another one does, below headings with settings": PeoplesTable(
        "pools.md",
        "## Pool: workers = 2\n\n| Op | Time (ms) |\n|--|--|\n| get | 1.5 |\n| put | 2.5 |\n"
        "\n## Pool: workers = 6\n\n| Op | Time (ms) | Memory (MiB) |\n|--|--|--|\n| get | 3.5 | 7 |\n| put | 4.5 | 9 |\n",
        4,
        (
            ("latency", 0.0035, {"op": "get", "workers": 6}),
            ("memory_used", 9 * 2**20, {"op": "put", "workers": 6}),
        ),
    ),
    "cases in camel case keep their letters": PeoplesTable(
        "nets.csv",
        "batch,mobileNetV2 latency (ms),resNet_50 latency (ms)\n1,12.5,22.5\n2,14.5,24.5\n",
        4,
        (("latency", 0.0125, {"model": "mobileNetV2"}), ("latency", 0.0245, {"model": "resNet_50"})),
    ),
}
