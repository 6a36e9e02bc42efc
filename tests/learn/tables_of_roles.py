"""Tables whose columns must not change their roles: settings, results, their units and statistics."""

from tests.learn.tables_of_people import PeoplesTable

ROLES = {
    "an answer for one of several numbers of different kinds": PeoplesTable(
        "engines.md",
        "| Op | Mill | Disk usage | Load time |\n|--|--|--|--|\n| a | 12.5 | 81.25 | 31.5 |\n| b | 13.5 | 82.5 | 33.5 |\n",
        2,
        (("mill", 12.5, {"op": "a"}),),
        frozenset({"Disk usage", "Load time"}),
        {"Mill": "points"},
    ),
    "cells with the unit of a result below the name of a setting": PeoplesTable(
        "phases.md",
        "| Job | Scan | Model |\n|--|--|--|\n| a | 12.5 s | 1.5 s |\n| b | 13.5 s | 1.75 s |\n",
        2,
        (("scan_time", 12.5, {"model": None}),),
        frozenset({"Model"}),
    ),
    "a result of one record, with other keys": PeoplesTable(
        "m.json",
        '[{"model": "a", "latency_ms": 1.5}, {"model": "b", "latency_ms": 2.5}, {"model_x": "c", "throughput_rps": 250}]',
        3,
        (("request_throughput", 250, {"model_x": "c"}),),
    ),
    "a time of one record of another kind": PeoplesTable(
        "io.json",
        '[{"kind": "read", "case": "a", "latency_ms": 1.5}, {"kind": "read", "case": "b", "latency_ms": 2.5},'
        ' {"kind": "write", "case": "c", "write_latency_ms": 9.5}]',
        3,
        (("latency", 0.0095, {"kind": "write", "variant": "write"}),),
    ),
    "results of the host and of devices": PeoplesTable(
        "place.json",
        '[{"type": "host", "name": "a", "latency_ms": 1.5, "throughput_rps": 4}, {"type": "device", "name": "a", "latency_ms": 2.5},'
        ' {"type": "device", "name": "b", "latency_ms": 3.5}]',
        4,
        (("request_throughput", 4, {"type": "host"}),),
    ),
    "memory of the host and of devices": PeoplesTable(
        "place.json",
        '[{"type": "host", "name": "a", "latency_ms": 1.5, "peak_rss_mb": 64.5}, {"type": "device", "name": "a", "latency_ms": 2.5},'
        ' {"type": "device", "name": "b", "latency_ms": 3.5}]',
        4,
    ),
    **{
        f"a setting that is written once for a group: {setting}": PeoplesTable(
            "ops.csv",
            f"op,{setting},algo,latency (ms)\nallreduce,900,ring,1\n,,tree,2\nallgather,900,ring,3\n,,tree,4\n",
            4,
            (("latency", 0.004, {"op": "allgather", "algo": "tree", factor: 900}),),
        )
        for setting, factor in (
            ("clock (MHz)", "clock_mhz"),
            ("interval (s)", "interval_s"),
            ("power (W)", "power_w"),
            ("memory (GB)", "memory_gb"),
            ("rate (req/s)", "rate_req_s"),
        )
    },
    **{
        f"cases that are named {first} and {second}": PeoplesTable(
            "ops.csv",
            f"op,time (ms)\nadd,10\nmul,20\n{first},1\n{second},2\nconv,30\nsoftmax,40\nrelu,50\n",
            7,
            (("latency", 0.002, {"op": second}),),
        )
        for first, second in (
            ("mean (float32)", "mean (float64)"),
            ("sum (rows)", "sum (int64)"),
            ("average (grouped)", "sum (axis=0)"),
            ("Mean (Numpy)", "Mean (Torch)"),
        )
    },
    "last cases that share a word": PeoplesTable(
        "ops.csv",
        "op,time (ms)\nadd,10\nmul,20\nconv,30\nsoftmax,40\nmean (float32),1\nmean (float64),2\n",
        6,
    ),
    "a mean in parentheses between rows, which arithmetic shows": PeoplesTable(
        "ops.csv", "op,time (ms)\nadd,10\nmul,20\nconv,60\nmean (all),30\nrelu,50\n", 4
    ),
    "a mean with how it was taken in parentheses": PeoplesTable(
        "models.csv", "model,latency (ms)\na,20\nb,40\nc,25\nAverage (weighted),31\n", 3
    ),
    "a mean of the middle rows": PeoplesTable(
        "models.csv", "model,latency (ms)\na,10\nb,15\nc,35\nd,45\nMean (trimmed),25\n", 4
    ),
    "a sum with the count of its rows": PeoplesTable(
        "files.csv",
        "file,size (MB),latency (ms)\na,3.5,20\nb,4.5,50\nc,6.5,30\nTotal (3 files),14.0,40\n",
        6,
        answers={"size (MB)": "MB"},
    ),
    "a result that is written once for each batch": PeoplesTable(
        "builds.csv",
        "batch,build time (s),threads,run (ms)\n8,12.5,1,3.5\n,,2,2.5\n16,14.5,1,6.5\n,,2,4.5\n",
        6,
        (
            ("build_time", 14.5, {"batch_size": 16}),
            ("latency", 0.0045, {"batch_size": 16, "threads": 2, "build_time_s": None}),
        ),
    ),
    "a first record about the machine": PeoplesTable(
        "ops.jsonl",
        '{"hostname": "box", "total_memory_gb": 31.25, "python": 3.11}\n{"op": "sort", "n": 1000, "time_ms": 1.25}\n{"op": "scan", "n": 1000, "time_ms": 15.75}\n',
        2,
        (("latency", 15.75e-3, {"op": "scan", "n": 1000}),),
    ),
    "records whose type says that they are about the machine": PeoplesTable(
        "ops.jsonl",
        '{"type": "system", "name": "box", "ram_gb": 64}\n{"type": "info", "name": "box", "disk_gb": 512.5}\n'
        '{"type": "result", "name": "sort", "time_ms": 1.25}\n{"type": "result", "name": "scan", "time_ms": 15.75}\n',
        2,
        (("latency", 15.75e-3, {}),),
    ),
    "a record about the machine in a list": PeoplesTable(
        "ops.json",
        '[{"kind": "meta", "ram_gb": 64.5}, {"kind": "op", "op": "sort", "time_ms": 1.25}, {"kind": "op", "op": "scan", "time_ms": 15.75}]',
        2,
        (("latency", 15.75e-3, {"op": "scan"}),),
    ),
    "records that have few keys of others": PeoplesTable(
        "ops.json",
        '[{"op": "sort", "time_ms": 1.25}, {"op": "scan", "memory_mb": 64.5}, {"op": "join", "time_ms": 15.75}]',
        3,
        (("memory_used", 64.5e6, {"op": "scan"}),),
    ),
    "results with a unit in their names, beside one that is named in a column": PeoplesTable(
        "boards.jsonl",
        '{"model": "a", "metric_name": "top1", "metric_value": 71.3, "infer_ms_mean": 12.51, "peak_rss_mb": 210.5, "status": "ok"}\n'
        '{"model": "b", "metric_name": "wer", "metric_value": 12.9, "infer_ms_mean": 48.22, "peak_rss_mb": 512.5, "status": "ok"}\n'
        '{"model": "c", "metric_name": null, "metric_value": null, "infer_ms_mean": null, "peak_rss_mb": null, "status": "unsupported"}\n',
        6,
        (
            ("latency", 12.51e-3, {"model": "a", "statistic": "mean"}),
            ("wer", 0.129, {"model": "b"}),
            ("top1", 0.713, {"model": "a"}),
        ),
        answers={"top1": "%", "wer": "%"},
    ),
    "results with a unit in their names, beside named metrics with their units": PeoplesTable(
        "pumps.csv",
        "pump,metric,value,unit,energy_j\na,flow,12.5,ms,0.151\nb,flow,14.5,ms,0.622\n",
        4,
        (("energy", 0.622, {"pump": "b"}),),
    ),
    "results in one unit that recur, beside named metrics": PeoplesTable(
        "pumps.csv",
        "pump,metric,value,unit,energy_j\na,latency,12.5,ms,0.151\na,speed,14.5,rows/s,0.151\n",
        2,
        (("latency", 12.5e-3, {"pump": "a"}),),
        open=frozenset({"energy_j"}),
    ),
    "a case whose name begins as a total does": PeoplesTable(
        "queries.csv",
        "operation,time (ms)\ncount (filter .ok),3.5\nsum (map .price),12.5\nmean of squares,4.5\n",
        3,
        (
            ("latency", 0.0125, {"operation": "sum (map .price)"}),
            ("latency", 0.0045, {"operation": "mean of squares"}),
        ),
    ),
    "a case with the name of a total as the last": PeoplesTable(
        "kernels.md",
        "| kernel | time (ms) |\n|--|--|\n| scan | 3.5 |\n| sort | 5.5 |\n| sum (axis 0) | 1.5 |\n",
        3,
        (("latency", 0.0015, {"kernel": "sum (axis 0)"}),),
    ),
    "a total with more words whose numbers are the sum": PeoplesTable(
        "phases.csv", "phase,time (s)\nread,3.5\nsort,12.5\nwrite,4.0\ntotal of phases,20.0\n", 3
    ),
    "levels of which some end with a zero": PeoplesTable(
        "sparse.csv",
        "sparsity,lib,ms\n0.10,a,12.5\n0.25,a,11.5\n0.10,b,22.5\n0.25,b,20.5\n",
        4,
        (("latency", 12.5e-3, {"sparsity": 0.1, "lib": "a"}),),
    ),
    "devices of which some are called Max": PeoplesTable(
        "d.md",
        "| Model | A100 | M4 Max |\n|--|--|--|\n| tiny | 100 tok/s | 50 tok/s |\n| large | 10.5 tok/s | 5.5 tok/s |\n",
        4,
        (("throughput", 5.5, {"model": "large", "device": "M4 Max", "item": "token"}),),
    ),
    "devices beside another metric": PeoplesTable(
        "d.md",
        "| Model | Speed (tok/s) | RTX 4090 | M4 Max |\n|--|--|--|--|\n| tiny | 77.5 | 100 ms | 50 ms |\n| large | 66.5 | 10.5 ms | 5.5 ms |\n",
        6,
        (("latency", 0.0055, {"model": "large", "device": "M4 Max"}),),
    ),
    "a rate of each number": PeoplesTable(
        "n.json",
        '{"throughput": {"1": 120, "4": 410, "16": 900}}',
        3,
        (("request_throughput", 410, {"case": 4}),),
        answers={"value": "req/s"},
    ),
    "a rate of each number beside other figures": PeoplesTable(
        "n.json",
        '{"model": "mini", "load_time_s": 5.5, "throughput": {"1": 120, "16": 900}}',
        3,
        (("throughput", 900, {"variant": 16, "item": "image"}), ("load_time", 5.5, {})),
        answers={"throughput.1": "images/s", "throughput.16": "images/s"},
    ),
    "ratios with the sign before the number": PeoplesTable(
        "r.md",
        "| Kernel | Time (ms) | Gain | Step |\n|--|--|--|--|\n| naive | 12.5 | x1.0 | x1.00 |\n| tiled | 10.5 | x1.2 | x1.19 |\n",
        2,
        (("latency", 0.0105, {"kernel": "tiled"}),),
    ),
    "columns that are mostly without numbers": PeoplesTable(
        "o.txt",
        "Model    Small card   Large card\na        20.5 ms      10.5 ms\nb        OOM          30.5 ms\nc        OOM          does not fit\n"
        "d        OOM          5.5 ms\n",
        4,
        (("large_card_time", 0.0055, {"model": "d"}),),
    ),
    "statistics of levels, whose spreads are left out": PeoplesTable(
        "m.csv",
        "Method,mean 10,std 10,mean 20,std 20\nours,1.25,0.05,2.25,0.15\nbase,3.5,0.25,7.5,0.45\n",
        4,
        (("latency", 0.0075, {"method": "base", "variant": 20, "statistic": "mean"}),),
        answers={"mean 10": "ms"},
    ),
    "statistics below levels": PeoplesTable(
        "m.md",
        "| | small | | large | |\n|--|--|--|--|--|\n| Solver | median | sd | median | sd |\n| a | 1.25 | 0.05 | 2.25 | 0.15 |\n"
        "| b | 3.5 | 0.25 | 7.5 | 0.45 |\n",
        0,
        open=frozenset({"small median", "large median"}),
    ),
    "statistics of LaTeX below numbers": PeoplesTable(
        "m.tex",
        "\\begin{tabular}{lrrrr}\n\\toprule\n & \\multicolumn{2}{c}{10} & \\multicolumn{2}{c}{20} \\\\\n"
        "Solver & mean & std & mean & std \\\\\n\\midrule\nours & 1.25 & 0.05 & 2.25 & 0.15 \\\\\n"
        "base & 3.5 & 0.25 & 7.5 & 0.45 \\\\\n\\bottomrule\n\\end{tabular}\n",
        4,
        (("latency", 0.0035, {"solver": "base", "variant": 10, "statistic": "mean"}),),
        answers={"10 mean": "ms"},
    ),
    "numbers of settings, written once for a group of rows": PeoplesTable(
        "threads.csv",
        "threads,size,ms\n4,1k,12.5\n,64k,11.5\n8,1k,22.5\n,64k,20.5\n",
        4,
        (("latency", 20.5e-3, {"threads": 8, "size": "64k"}),),
    ),
    "rates of settings, written once for a group of rows": PeoplesTable(
        "links.tsv",
        "bitrate\tpacket\tloss\tdelay\n1 kbps\t64 B\t12.5 %\t3.5 ms\n\t512 B\t3.5 %\t4.5 ms\n"
        "10 kbps\t64 B\t14.5 %\t2.5 ms\n\t512 B\t4.5 %\t6.5 ms\n",
        8,
        (("loss_in_percent", 0.045, {"bitrate": "10 kbps", "packet": "512 B"}),),
    ),
    "a setting called a rate, written once for a group of rows": PeoplesTable(
        "rates.csv",
        "rate,packet,loss (%)\n1 kbps,64,12.5\n,512,3.5\n10 kbps,64,14.5\n,512,4.5\n",
        4,
        (("loss_in_percent", 0.045, {"rate": "10 kbps", "packet": 512}),),
    ),
    "names of groups of repeats, written once each": PeoplesTable(
        "repeats.csv",
        "dataset,time (ms)\na,12.5\n,11.5\n,10.5\nb,22.5\n,20.5\n,20.1\n",
        6,
        (("latency", 11.5e-3, {"dataset": "a"}), ("latency", 20.1e-3, {"dataset": "b"})),
    ),
    "an object of units, each of the numbers that it names": PeoplesTable(
        "store.json",
        '{"units": {"throughput": "kops/s", "p99": "us", "mem": "MB"}, "results": ['
        '{"engine": "a", "threads": 1, "throughput": 212.5, "p99": 31.5, "mem": 412},'
        '{"engine": "b", "threads": 8, "throughput": 812.5, "p99": 57.5, "mem": 466}]}',
        6,
        (
            ("throughput", 212500, {"engine": "a", "statistic": None}),
            ("latency", 57.5e-6, {"engine": "b", "statistic": "p99"}),
            ("memory_used", 412e6, {"engine": "a"}),
        ),
    ),
    "an object of units that lacks one": PeoplesTable(
        "store.json",
        '{"units": {"throughput": "kops/s"}, "results": ['
        '{"engine": "a", "throughput": 212.5, "p99": 31.5}, {"engine": "b", "throughput": 812.5, "p99": 57.5}]}',
        2,
        (("throughput", 212500, {"engine": "a", "statistic": None}),),
        frozenset({"p99"}),
    ),
    "a setting by answer": PeoplesTable(
        "md.csv",
        "system,atoms,ns/day\na,23558,412.5\nb,92224,130.5\nc,1066628,12.5\n",
        3,
        (("ns_per_day", 130.5, {"system": "b", "atoms": 92224}),),
        answers={"atoms": "setting"},
    ),
    "hours and minutes by answer": PeoplesTable(
        "clock.csv",
        "model,training time\na,15:52\nb,2:09\n",
        2,
        (("run_time", 7740, {"model": "b"}),),
        answers={"training time": "h:mm"},
    ),
    "a percent of a peak": PeoplesTable(
        "kernels.csv",
        "kernel,GFLOP/s,% of peak,rapport\na,105.5,10.5%,1.0\nb,210.5,21.0%,2.0\nc,870.5,87.0%,8.2\n",
        3,
        (("flops", 210.5e9, {"kernel": "b"}),),
    ),
    "numbers that are a constant divided by others": PeoplesTable(
        "codecs.csv",
        "codec,compressed size (MB),speed (MB/s),x\na,73.4,511.8,2.887\nb,66.5,338.2,3.186\nc,59.3,81.07,3.573\nd,51.2,3.41,4.139\n",
        8,
        (("compressed_size", 73.4e6, {"codec": "a"}),),
    ),
    "versions that look like numbers": PeoplesTable(
        "versions.csv",
        "library,version,encode_ms\na,3.9,1.5\na,3.10,3.5\nb,1.1,1.25\n",
        3,
        (("encode_time", 0.0035, {"library": "a", "version": "3.10"}),),
    ),
    "lists of lists, with a list that names neither, and units in a comment": PeoplesTable(
        "click.json",
        '{"system": "x", "tags": ["a", "b", "c"], "comment": "load and result are in seconds, data_size in bytes",'
        ' "load": 418.5, "data_size": 14779976446, "result": [[0.5, 0.25, 0.125], [1.5, 1.25, 1.0], [null, null, null]]}',
        6,
        (
            ("run_time", 0.125, {"row_number": 0, "column_number": 2, "system": "x", "data_size": None}),
            ("run_time", 1.5, {"row_number": 1, "column_number": 0}),
        ),
    ),
    "lists of lists whose unit is asked for": PeoplesTable(
        "click.json",
        '{"system": "x", "result": [[0.5, 0.25, 0.125], [1.5, 1.25, 1.0]]}',
        6,
        (("run_time", 1.25, {"row_number": 1, "column_number": 1, "system": "x"}),),
        answers={"result": "s"},
    ),
    "lists of lists that other lists name": PeoplesTable(
        "grid.json",
        '{"device": "x", "batch": [1, 2, 4], "seq_len": [128, 512], "latency_ms": [[1.5, 2.5], [3.5, 4.5], [5.5, 6.5]]}',
        6,
        (("latency", 0.0045, {"batch_size": 2, "seq_len": 512, "device": "x"}),),
    ),
    "units of several quantities beside columns of cases": PeoplesTable(
        "kernels.csv",
        "test,kernel 6.1,kernel 6.6,unit\nswitch,1.5,1.25,us\npipe,4.5,4.75,GB/s\nfork,84.5,80.5,us\nalloc,512,480,B/op\n",
        8,
        (
            ("latency", 80.5e-6, {"test": "fork", "case": "kernel 6.6"}),
            ("bandwidth", 4.5e9, {"test": "pipe", "case": "kernel 6.1"}),
            ("b_per_op", 480, {"test": "alloc", "case": "kernel 6.6"}),
        ),
    ),
    "one answer for all columns of a matrix": PeoplesTable(
        "servers.csv",
        ",alpha,beta,gamma\n100,30.15,30.25,33.5\n500,31.5,31.25,34.5\n900,40.5,42.25,39.5\n",
        9,
        (("latency", 0.04225, {"case": 900, "variant": "beta"}),),
        answers={"beta": "ms"},
    ),
    "bytes in names without underscores": PeoplesTable(
        "keys.csv",
        "algorithm,signTimeMs,publicKeyBytes\na,1.5,0\nb,129.5,294\nc,11.5,58\n",
        6,
        (("sign_time", 0.1295, {"algorithm": "b"}), ("public_key", 294, {"algorithm": "b"})),
    ),
    "work in a second, which differs for one matrix and for one kernel": PeoplesTable(
        "spmv.tsv",
        "matrix\tkernel\tms\tgflops\tgbs\na\tx\t2.5\t4.38\t29.8\na\ty\t1.5\t5.21\t33.4\nb\tx\t3.5\t3.98\t27.1\nb\ty\t4.5\t3.7\t25.5\n",
        12,
        (("flops", 3.98e9, {"matrix": "b", "kernel": "x"}), ("bandwidth", 25.5e9, {"matrix": "b"})),
    ),
    "work of models, or a rate": PeoplesTable(
        "models.csv",
        "model,ms,gflops\na,2.5,4.38\nb,1.5,5.21\n",
        2,
        (("latency", 0.0025, {"model": "a"}),),
        frozenset({"gflops"}),
    ),
    "names of metrics that state a factor that a column has, too": PeoplesTable(
        "taken.csv",
        "metric,device,model,value,unit\nlatency A100,sxm,r,12.5,ms\nlatency H100,sxm,r,8.5,ms\n"
        "latency A100,pcie,r,14.5,ms\nlatency H100,pcie,r,9.5,ms\n",
        4,
        (
            ("latency", 8.5e-3, {"device": "sxm", "figure_device": "H100"}),
            ("latency", 14.5e-3, {"device": "pcie", "figure_device": "A100"}),
        ),
    ),
    "a constant in a name, and a column that has its name": PeoplesTable(
        "constant.csv",
        "precision,mode,train_fp16_samples_per_sec\ntf32,a,123.5\ntf32,b,133.5\nfp32,a,143.5\n",
        3,
        (("throughput", 143.5, {"precision": "fp32", "mode": "a", "figure_precision": "fp16"}),),
    ),
    "keys of objects beside a column of the same factor": PeoplesTable(
        "keys.json",
        '{"results":{"A100":[{"device":"gpu0","latency_ms":2.5},{"device":"gpu1","latency_ms":2.75}],'
        '"H100":[{"device":"gpu0","latency_ms":1.5},{"device":"gpu1","latency_ms":1.75}]}}',
        4,
        (("latency", 1.75e-3, {"device": "gpu1", "case": "H100"}),),
    ),
    "a unit column is that of the values, and of nothing beside them": PeoplesTable(
        "jmh.csv",
        "Benchmark,Samples,Score,Score Error (99.9%),Unit,Param: size\nget,10,12.5,0.25,ns/op,1000\n"
        "get,10,15.5,0.5,ns/op,100000\nput,10,42.5,1.25,ns/op,1000\n",
        3,
        (("action_time", 15.5e-9, {"benchmark": "get", "param_size": 100000, "statistic": None}),),
    ),
    "one answer for all percentiles, and a row of all requests": PeoplesTable(
        "load.csv",
        "Type,Name,Requests/s,50%,95%,100%\nGET,/a,20.5,12,14,40\nGET,/b,5.5,35,39,512\n,Aggregated,26.0,17,20,512\n",
        8,
        (
            ("latency", 0.014, {"case": "/a", "statistic": "p95"}),
            ("latency", 0.512, {"case": "/b", "statistic": "maximum"}),
            ("request_throughput", 5.5, {"case": "/b"}),
        ),
        answers={"50%": "ms"},
    ),
    "a setting in the rows, or around them": PeoplesTable(
        "sections.json",
        '{"engines": {"rows": [{"rows_in": 1000, "engine": "a", "total_s": 19.5}, {"rows_in": 4000, "engine": "a",'
        ' "total_s": 61.5}]}, "cores": {"rows_in": 1000, "rows": [{"cores": 1, "total_s": 37.5},'
        ' {"cores": 2, "total_s": 26.5}], "finding": "'
        + "Long texts are remarks, and not cases. " * 4
        + '"}}',
        4,
        (
            ("run_time", 61.5, {"rows_in": 4000, "engine": "a"}),
            ("run_time", 26.5, {"rows_in": 1000, "cores": 2, "finding": None}),
        ),
    ),
    "an accuracy from 0 to 1": PeoplesTable(
        "scores.csv",
        "model,acc,latency_ms\na,0.571,2.5\nb,0.74,3.5\n",
        4,
        (("accuracy", 0.571, {"model": "a"}),),
    ),
    "shares of a mix are not percentiles": PeoplesTable(
        "mix.csv",
        "store,95% reads (ops/s),50% reads (ops/s)\na,2500.5,1500.5\nb,3500.5,2100.5\n",
        4,
        (("throughput", 2500.5, {"store": "a", "statistic": None, "variant": "95% reads"}),),
    ),
    "failures in a second": PeoplesTable(
        "failing.csv",
        "name,Requests/s,Failures/s\na,20.5,0.0\nb,5.5,0.03\n",
        4,
        (("failure_rate", 0.03, {"case": "b"}),),
    ),
    "sizes of what was made, which are powers of two by chance": PeoplesTable(
        "binary.csv",
        "impl,Threads,Time [ms],Binary size (KiB)\ngo,4,12.5,2048\nrust,4,8.5,1024\njava,4,15.5,64\n",
        6,
        (("binary_size", 64 * 1024, {"impl": "java", "threads": 4}),),
    ),
    "percentiles that are keys": PeoplesTable(
        "keys.jsonl",
        '{"engine":"a","latency_ms":{"percentiles":{"50":1.5,"99.9":9.5}}}\n'
        '{"engine":"b","latency_ms":{"percentiles":{"50":1.75,"99.9":10.5}}}\n',
        4,
        (
            ("latency", 1.5e-3, {"engine": "a", "statistic": "median"}),
            ("latency", 10.5e-3, {"engine": "b", "statistic": "p99.9"}),
        ),
    ),
    "units in brackets after a word, and a throughput in GFLOPS": PeoplesTable(
        "in.csv",
        "model,Latency (in ms),Throughput (GFLOPS)\na,2.5,410.5\nb,3.5,330.5\n",
        4,
        (("latency", 0.0035, {"model": "b"}), ("flops", 410.5e9, {"model": "a"})),
    ),
    "transactions of a database": PeoplesTable(
        "pgbench.csv",
        "server,protocol,tps\npostgres,simple,5580\nother,simple,68\n",
        2,
        (("throughput", 5580, {"server": "postgres", "item": "transaction"}),),
    ),
    "tokens of a language model, which are 1000 divided by a time": PeoplesTable(
        "log.csv",
        "backend,TTFT (ms),TBT (ms),T/s\na,202.5,53.61,18.7\nb,207.5,52.22,19.1\nc,188.5,83.46,12.0\n",
        9,
        (("throughput", 19.1, {"backend": "b", "item": "token"}),),
    ),
    "durations that recur are chosen, if rows would else be repeats": PeoplesTable(
        "speech.csv",
        "model,Duration (ms),Execution Time (s)\na,3600000,108\na,7200000,152\nb,3600000,117\nb,7200000,222\n",
        4,
        (("execution_time", 222, {"model": "b", "duration_ms": 7200000}),),
    ),
    "sizes after rates, in two tables with one header": PeoplesTable(
        "sizes.md",
        "## one\n\n| Dataset | Compression Rate | Speed (MB/s) | Data Size (MB) |\n|---|---|---|---|\n"
        "| a | 4,941 | 2178,81 | 0,31 |\n| b | 2,203 | 555,18 | 0,28 |\n\n## two\n\n"
        "| Dataset | Compression Rate | Speed (MB/s) | Data Size (MB) |\n|---|---|---|---|\n"
        "| a | 3,941 | 1178,81 | 0,31 |\n| b | 1,203 | 455,18 | 0,28 |\n",
        12,
        (
            ("compression_ratio", 2.203, {"dataset": "b", "table": "one"}),
            ("size", 0.28e6, {"dataset": "b", "table": "two"}),
        ),
    ),
    "the first cell of a header states the unit of the statistics beside it": PeoplesTable(
        "stats.md",
        "| Name (time in us) | Min | Mean |\n|---|---|---|\n| a | 1.5 | 2.5 |\n| b | 4.5 | 5.5 |\n",
        4,
        (("latency", 5.5e-6, {"case": "b", "statistic": "mean"}),),
    ),
    "a rank among the rows": PeoplesTable(
        "ranks.csv",
        "method,ms,rank\na,3.5,2\nb,2.5,1\nc,9.5,3\n",
        3,
        (("latency", 0.0095, {"method": "c", "rank": None}),),
    ),
    "statistics named in a column of metrics, with their unit": PeoplesTable(
        "report.csv",
        "metric,value,unit\nmean,2.5,ms\np95,4.5,ms\n",
        2,
        (("latency", 0.0045, {"statistic": "p95"}),),
    ),
    "an accuracy above 1, and an ideal": PeoplesTable(
        "scores.csv",
        "threads,acc_top1,latency_ms,Ideal\n1,72.5,2.5,1\n2,79.5,3.5,2\n4,79.25,5.5,4\n",
        6,
        (("accuracy", 0.725, {"threads": 1, "ideal": None}),),
    ),
    "two times that are called differently": PeoplesTable(
        "times.csv",
        "model,time_s,total time (s)\na,1.5,12.5\nb,2.5,22.5\n",
        4,
        (("time", 2.5, {"model": "b"}), ("total_time", 12.5, {"model": "a"})),
    ),
    "how good the answers of a model are, without a unit": PeoplesTable(
        "detectors.csv",
        "model,prec,latency_ms,map,WER\na,fp16,2.5,39.5,7.5\na,int8,1.5,39.5,7.5\nb,fp16,9.5,54.7,5.5\n",
        3,
        (("latency", 0.0095, {"model": "b", "map": None, "wer": None}),),
        frozenset({"map", "WER"}),
    ),
    "first columns of numbers that are written once for two rows": PeoplesTable(
        "wave.tsv",
        "Len\tNum\tRate\tTool\tTime\n100\t500\t0.05\tfast\t5.5 s\n\t\t\tslow\t9.5 s\n100\t500\t0.25\tfast\t15.5 s\n\t\t\tslow\t29.5 s\n",
        4,
        (("run_time", 29.5, {"len": 100, "num": 500, "rate": 0.25, "tool": "slow"}),),
    ),
    "numbers with units that are written once for a group": PeoplesTable(
        "supply.md",
        "| Key Supply Rate | Users | Success Rate |\n|--|--|--|\n| 1 kbps | 1 | 100% |\n| | 5 | 99% |\n| 10 kbps | 1 | 97% |\n| | 5 | 96% |\n",
        4,
        (("success_rate", 0.96, {"key_supply_rate": "10 kbps", "users": 5}),),
    ),
    "an empty first cell that no group explains": PeoplesTable(
        "flags.csv",
        "level,tool,ms\n3,a,5.5\n,b,6.5\n9,c,7.5\n",
        3,
        (("latency", 0.0065, {"level": None, "tool": "b"}),),
    ),
    "columns of one name pattern have one role": PeoplesTable(
        "scores.csv",
        "net,repeat,hits (B),hits (T),ms\na,1,75,85,2.5\na,2,75,86,2.6\nb,1,75,87,3.5\nb,2,70,88,3.6\n",
        4,
        (("latency", 0.0036, {"model": "b", "hits": None}),),
        frozenset({"hits (B)", "hits (T)"}),
    ),
    "a result that each repeat prints again": PeoplesTable(
        "paths.csv",
        "input,repeat,visited,seconds\nx.txt,1,580,1.5\nx.txt,2,580,1.6\ny.txt,1,77,2.5\ny.txt,2,77,2.6\n",
        4,
        (("run_time", 2.6, {"input": "y.txt", "visited": None}),),
        frozenset({"visited"}),
    ),
    "fractions that recur by chance": PeoplesTable(
        "fits.csv",
        "solver,seconds,residual\na,1.5,0.25\nb,2.5,0.25\nc,3.5,0.25\nd,4.5,0.75\n",
        4,
        (("run_time", 4.5, {"solver": "d", "residual": None}),),
        frozenset({"residual"}),
    ),
    "fractions that recur as levels": PeoplesTable(
        "mix.csv",
        "solver,alpha,seconds\na,0.25,1.5\na,0.75,2.5\nb,0.25,3.5\nb,0.75,4.5\n",
        4,
        (("run_time", 4.5, {"solver": "b", "alpha": 0.75}),),
    ),
    "a count of nothing after the results": PeoplesTable(
        "late.csv",
        "tool,ms,overruns\na,1.5,0\nb,2.5,0\n",
        2,
        (("latency", 0.0025, {"tool": "b", "overruns": None}),),
        frozenset({"overruns"}),
    ),
    "sizes as texts": PeoplesTable(
        "engines.csv",
        "engine,Executable size,ms\na,7.6M,1.5\nb,396K,2.5\nc,27M,3.5\n",
        3,
        (("latency", 0.0035, {"engine": "c", "executable_size": None}),),
        frozenset({"Executable size"}),
    ),
    "sizes as texts, whose unit is answered": PeoplesTable(
        "engines.csv",
        "engine,Executable size,ms\na,7.6M,1.5\nb,396K,2.5\nc,27M,3.5\n",
        6,
        (("executable_size", 396e3, {"engine": "b"}),),
        answers={"Executable size": "MB"},
    ),
    "sizes of messages after the results": PeoplesTable(
        "wire.md",
        "| Suite | Median latency | Message size on wire |\n|--|--|--|\n| a | 0.5 ms | 3,253 bytes |\n| b | 0.75 ms | 4,597 bytes |\n",
        2,
        (("latency", 75e-5, {"suite": "b", "message_size_on_wire": None}),),
        frozenset({"Message size on wire"}),
    ),
    "a load that recurs in steps, beside a share": PeoplesTable(
        "sweep.md",
        "| Supply | Arrivals | Success Rate | Pool |\n|--|--|--|--|\n| low | 1 req/s | 100% | 99.5% |\n| low | 5 req/s | 99% | 88.5% |\n"
        "| low | 10 req/s (knee) | 77% | 22.5% |\n| mid | 1 req/s | 100% | 98.5% |\n| mid | 5 req/s | 99% | 97.5% |\n| mid | 20 req/s | 95% | 90.5% |\n",
        12,
        (("success_rate", 0.95, {"supply": "mid"}),),
        frozenset({"Arrivals"}),
    ),
    "a load that recurs in steps, as it is answered": PeoplesTable(
        "sweep.md",
        "| Supply | Arrivals | Success Rate | Pool |\n|--|--|--|--|\n| low | 1 req/s | 100% | 99.5% |\n| low | 5 req/s | 99% | 88.5% |\n"
        "| low | 10 req/s (knee) | 77% | 22.5% |\n| mid | 1 req/s | 100% | 98.5% |\n| mid | 5 req/s | 99% | 97.5% |\n| mid | 20 req/s | 95% | 90.5% |\n",
        12,
        (("success_rate", 0.77, {"supply": "low", "arrivals": "10 req/s (knee)"}),),
        answers={"Arrivals": "setting"},
    ),
    "a column of percent signs": PeoplesTable(
        "rate.txt",
        "Case      Rate        \n------------------\na         95.5      %\nb         97.5      %\nc         99.5      %\n",
        3,
        (("rate", 0.975, {"case": "b", "column_3": None}),),
    ),
    "a column of units without a name": PeoplesTable(
        "speed.md",
        "| Case | Speed | |\n|--|--|--|\n| a | 95.5 | MB/s |\n| b | 97.5 | MB/s |\n",
        2,
        (("bandwidth", 97.5e6, {"case": "b"}),),
    ),
    "devices that were mostly not tested": PeoplesTable(
        "devices.md",
        "| Model | A100 | RTX 4090 |\n|--|--|--|\n| a | 72.5 tokens/s | Didn't test |\n| b | Won\u2019t complete (too slow) | Didn't test |\n"
        "| c | Didn't test | 18.5 tokens/s |\n| d | 8.5 tokens/s | can't load |\n",
        3,
        (("throughput", 18.5, {"model": "c", "device": "RTX 4090"}),),
    ),
    "settings in objects of results, and beside them": PeoplesTable(
        "objects.json",
        '{"device": "cuda", "items": [{"name": "a", "cpu": {"mean_ms": 42.5, "device": "cpu", "size": 4},'
        ' "gpu": {"mean_ms": 2.5, "device": "cuda", "size": 8}, "accuracy": {"top1_accuracy": 71.5, "total_samples": 500}},'
        ' {"name": "b", "cpu": {"mean_ms": 43.5, "device": "cpu", "size": 4}, "gpu": {"mean_ms": 3.5, "device": "cuda", "size": 8},'
        ' "accuracy": {"top1_accuracy": 72.5, "total_samples": 500}}]}',
        6,
        (
            (
                "latency",
                0.0435,
                {"case": "b", "cpu_size": 4, "gpu_size": 8, "cpu_device": "cpu", "size": None},
            ),
        ),
        frozenset({"accuracy.total_samples"}),
    ),
}
