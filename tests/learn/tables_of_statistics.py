"""Tables whose columns are statistics of one quantity, each with its values by hand."""

from tests.learn.tables_of_people import PeoplesTable

STATISTICS = {
    "statistics of several metrics in JSON beside a rate": PeoplesTable(
        "web.json",
        '{"run": {"nginx": {"latency_ms": {"p50": 1.25, "p99": 7.75}, "ttfb_ms": {"p50": 0.25, "p99": 0.75}, "rps": 4210.5}}}',
        5,
        (("request_throughput", 4210.5, {}), ("latency", 7.75e-3, {"statistic": "p99"})),
    ),
    "statistics of several metrics in JSON beside a count": PeoplesTable(
        "web.json",
        '{"latency_us": {"mean": 81.5, "p99": 190.5}, "wait_us": {"mean": 8.5, "p99": 19.5}, "errors": 3}',
        5,
        (("latency", 81.5e-6, {"statistic": "mean"}), ("errors", 3, {})),
    ),
    "statistics of several metrics in each row of JSON": PeoplesTable(
        "web.json",
        '{"a": {"latency_ms": {"p50": 1.25, "p99": 7.75}, "ttfb_ms": {"p50": 0.25, "p99": 0.75}, "rps": 4210.5},'
        ' "b": {"latency_ms": {"p50": 1.75, "p99": 9.75}, "ttfb_ms": {"p50": 0.35, "p99": 0.85}, "rps": 3910.5}}',
        10,
        (
            ("request_throughput", 3910.5, {"case": "b"}),
            ("latency", 1.25e-3, {"case": "a", "statistic": "median"}),
        ),
    ),
    "statistics in French": PeoplesTable(
        "tri.csv",
        "algo;médiane (ms);moyenne (ms);écart-type (ms)\ntri;12,5;13,25;0,75\nfusion;8,5;8,75;0,35\n",
        4,
        (
            ("latency", 12.5e-3, {"algo": "tri", "statistic": "median"}),
            ("latency", 8.75e-3, {"algo": "fusion", "statistic": "mean"}),
        ),
    ),
    "statistics in German": PeoplesTable(
        "v.md",
        "| Verfahren | Mittelwert (ms) | Standardabweichung (ms) | Median (ms) |\n|--|--|--|--|\n| a | 12.5 | 0.75 | 12.25 |\n| b | 8.5 | 0.35 | 8.25 |\n",
        4,
        (
            ("latency", 12.25e-3, {"verfahren": "a", "statistic": "median"}),
            ("latency", 8.5e-3, {"verfahren": "b", "statistic": "mean"}),
        ),
    ),
    "statistics in Spanish": PeoplesTable(
        "m.csv",
        "metodo,media_ms,mediana_ms,desviacion_estandar_ms\na,12.5,12.25,0.75\nb,8.5,8.25,0.35\n",
        4,
        (("latency", 8.5e-3, {"metodo": "b", "statistic": "mean"}),),
    ),
    "statistics in Portuguese, named in a column": PeoplesTable(
        "m.csv",
        "algo,statistic,time_ms\na,média,12.5\na,mediana,12.25\na,máximo,20.5\n",
        3,
        (("latency", 20.5e-3, {"algo": "a", "statistic": "maximum"}),),
    ),
    "a statistic behind the unit of each cell": PeoplesTable(
        "engines.md",
        "| Engine | Run | Rate |\n|--|--|--|\n| one | 29.84 s total | 9.34 tok/s mean |\n| two | 31.84 s total | 8.34 tok/s mean |\n",
        4,
        (
            ("run_time", 31.84, {"engine": "two", "statistic": None}),
            ("throughput", 9.34, {"engine": "one", "statistic": "mean"}),
        ),
    ),
    "a mean and a total beside numbers without a word": PeoplesTable(
        "engines.md",
        "| Engine | Run | Rate |\n|--|--|--|\n| one | 29.84 s | 9.34 tok/s |\n| two | 31.84 s total | 8.34 tok/s mean |\n",
        4,
        (
            ("run_time", 31.84, {"engine": "two", "statistic": None}),
            ("throughput", 8.34, {"engine": "two", "statistic": None}),
        ),
    ),
    "a median beside numbers without a word": PeoplesTable(
        "engines.md",
        "| Engine | Time (ms) | Rate |\n|--|--|--|\n| one | 29.84 | 9.34 tok/s |\n| two | 31.84 | 8.34 tok/s median |\n",
        2,
        (("latency", 0.02984, {"engine": "one"}),),
        frozenset({"Rate"}),
    ),
    "different statistics behind the units of a column": PeoplesTable(
        "engines.md",
        "| Engine | Time (ms) | Rate |\n|--|--|--|\n| one | 29.84 | 9.34 tok/s mean |\n| two | 31.84 | 8.34 tok/s median |\n",
        2,
        (("latency", 0.02984, {"engine": "one"}),),
        frozenset({"Rate"}),
    ),
    "a statistic behind the unit that the name has, too": PeoplesTable(
        "engines.csv",
        "engine,mean latency\none,29.5 ms avg\ntwo,31.5 ms avg\n",
        2,
        (("latency", 0.0315, {"engine": "two", "statistic": "mean"}),),
    ),
    "the worst of a rate is the least, the best the highest": PeoplesTable(
        "scenes.csv",
        "scene,mean fps,worst fps,best fps\nforest,61.5,31.25,88.5\ncity,45.5,20.25,66.5\n",
        6,
        (
            ("throughput", 31.25, {"scene": "forest", "statistic": "minimum"}),
            ("throughput", 88.5, {"scene": "forest", "statistic": "maximum"}),
        ),
    ),
    "the worst of a time is the longest, the best the shortest": PeoplesTable(
        "sorts.md",
        "| sort | best time (ms) | slowest time (ms) |\n|---|---|---|\n| heap | 2.5 | 9.25 |\n| quick | 1.5 | 30.5 |\n",
        4,
        (
            ("latency", 2.5e-3, {"sort": "heap", "statistic": "minimum"}),
            ("latency", 30.5e-3, {"sort": "quick", "statistic": "maximum"}),
        ),
    ),
    "the slowest of a bandwidth is the least": PeoplesTable(
        "disks.csv",
        "disk,slowest (GB/s),fastest (GB/s)\nnvme0,2.5,6.75\nnvme1,1.5,7.25\n",
        4,
        (
            ("bandwidth", 2.5e9, {"disk": "nvme0", "statistic": "minimum"}),
            ("bandwidth", 7.25e9, {"disk": "nvme1", "statistic": "maximum"}),
        ),
    ),
    "the best and the worst of a rate that a caption states": PeoplesTable(
        "proxies.md",
        "Throughput in req/s\n\n| proxy | best | worst |\n|---|---|---|\n| a | 312.5 | 61.5 |\n| b | 202.5 | 45.5 |\n",
        4,
        (
            ("request_throughput", 61.5, {"proxy": "a", "statistic": "minimum"}),
            ("request_throughput", 202.5, {"proxy": "b", "statistic": "maximum"}),
        ),
    ),
    "the best and the worst of a rate that a column names": PeoplesTable(
        "cameras.csv",
        "camera,statistic,fps\nleft,best,61.5\nleft,worst,31.5\nright,best,63.5\nright,worst,30.5\n",
        4,
        (
            ("throughput", 31.5, {"camera": "left", "statistic": "minimum"}),
            ("throughput", 63.5, {"camera": "right", "statistic": "maximum"}),
        ),
    ),
    "the best and the worst of a quantity of which more is better": PeoplesTable(
        "folds.csv",
        "model,best accuracy (%),worst accuracy (%)\na,96.5,31.25\nb,94.5,20.25\n",
        4,
        (("accuracy", 0.3125, {"model": "a", "statistic": "minimum"}),),
    ),
    "words of statistics in proper names": PeoplesTable(
        "filters.md",
        "| | left | right |\n|--|--|--|\n| Bloom (ms) | 12.5 | 13.5 |\n| Count-Min (ms) | 2.5 | 3.5 |\n| Best-Fit (ms) | 4.5 | 5.5 |\n",
        6,
        (
            ("count_min_time", 0.0035, {"case": "right", "statistic": None}),
            ("best_fit_time", 0.0045, {"case": "left", "statistic": None}),
        ),
    ),
    "proper names of steps as columns": PeoplesTable(
        "layers.csv",
        "image,Max-Pool (ms),Conv (ms)\na,1.5,12.5\nb,2.5,14.5\n",
        4,
        (("max_pool_time", 0.0025, {"image": "b", "statistic": None}),),
    ),
    "a statistic behind the unit in brackets, and before it": PeoplesTable(
        "stores.csv",
        'store,"get (ms, p99)","put (median, ms)","scan (ms, lower is better)","rate (req/s, mean ± sd)"\n'
        "a,1.5,2.5,3.5,100 ± 3\nb,4.5,5.5,6.5,200 ± 4\n",
        8,
        (
            ("get_time", 0.0015, {"store": "a", "statistic": "p99"}),
            ("put_time", 0.0055, {"store": "b", "statistic": "median"}),
            ("scan_time", 0.0065, {"store": "b", "statistic": None}),
            ("request_throughput", 200, {"store": "b", "statistic": "mean"}),
        ),
    ),
    "statistics as rows below a word of another kind": PeoplesTable(
        "proxies.md",
        "| Kennzahl | v1 | v2 |\n|--|--|--|\n| p50 | 2.5 ms | 3.5 ms |\n| p95 | 4.5 ms | 5.5 ms |\n| Maximum | 9.5 ms | 8.5 ms |\n",
        6,
        (
            ("latency", 0.0045, {"version": "v1", "statistic": "p95"}),
            ("latency", 0.0085, {"version": "v2", "statistic": "maximum"}),
        ),
    ),
    "statistics as rows without a name, below a heading": PeoplesTable(
        "proxies.md",
        "### Latency (ms)\n\n| | nginx | caddy |\n|--|--|--|\n| average | 2.5 | 3.5 |\n| max | 9.5 | 8.5 |\n| std | 0.5 | 0.25 |\n",
        4,
        (
            ("latency", 0.0025, {"case": "nginx", "statistic": "mean"}),
            ("latency", 0.0085, {"case": "caddy", "statistic": "maximum"}),
        ),
    ),
    "a peak, which is kept": PeoplesTable(
        "servers.csv",
        "server,peak throughput (req/s),rss peak (MB),peak power (W)\na,100.5,20.5,7.5\nb,200.5,30.5,8.5\n",
        6,
        (
            ("request_throughput", 100.5, {"server": "a", "variant": "peak"}),
            ("rss_peak", 30.5e6, {"server": "b"}),
            ("power", 8.5, {"server": "b", "variant": "peak"}),
        ),
    ),
    "things called p1 and p2": PeoplesTable(
        "paths.csv",
        "link,p1 latency (ms),p2 latency (ms)\na,10.5,1.25\nb,11.5,2.5\n",
        4,
        (("latency", 0.0105, {"link": "a", "p": 1, "statistic": None}), ("latency", 0.0025, {"p": 2})),
    ),
    "a low percentile beside a mean": PeoplesTable(
        "games.csv",
        "scene,fps p1,fps avg\na,40.5,60.5\nb,41.5,61.5\n",
        4,
        (("throughput", 40.5, {"scene": "a", "statistic": "p1"}),),
    ),
    "a whole median of 0 below a mean of 1.5": PeoplesTable(
        "calls.csv",
        "op,median (ms),mean (ms),max (ms)\na,0,1.5,40\nb,0,2.5,50\nc,3,3.5,60\n",
        9,
        (("latency", 0, {"op": "b", "statistic": "median"}),),
    ),
    "bare statistics of one time in ms and in s": PeoplesTable(
        "proxies.md",
        "| Workload | p99 | Maximum | Load time |\n|--|--|--|--|\n| a | 181 ms | 218 ms | 20.5 s |\n"
        "| b | 295 ms | 7.40 s | 30.5 s |\n| c | 842 ms | 1.67 s | 60.5 s |\n",
        9,
        (
            ("latency", 0.295, {"workload": "b", "statistic": "p99"}),
            ("latency", 7.4, {"workload": "b", "statistic": "maximum"}),
            ("load_time", 60.5, {"workload": "c"}),
        ),
    ),
    "cells that are ranges": PeoplesTable(
        "scans.md",
        "| disk | Time (s) | size (GB) |\n|--|--|--|\n| a | 10-12 | 1.5 |\n| b | 20\u201325 s | 2.5 |\n",
        2,
        open=frozenset({"Time (s)"}),
    ),
    "bounds in small letters before a hyphen": PeoplesTable(
        "bounds.csv",
        "case,min-scan (ms),max-scan (ms),avg-scan (ms),max-heap (MB),avg-heap (MB)\na,1,3,2,7.5,6.5\nb,2,5,3,8.5,7.5\n",
        10,
        (
            ("scan_time", 0.001, {"case": "a", "statistic": "minimum"}),
            ("scan_time", 0.003, {"case": "b", "statistic": "mean"}),
            ("heap", 8.5e6, {"case": "b", "statistic": "maximum"}),
        ),
    ),
    "names of heaps in small letters, and a maximum behind a hyphen": PeoplesTable(
        "heaps.csv",
        "case,max-heap ms,Parse-Max (ms),Parse-Avg (ms),max-parse-ms,max-lag (ms)\na,5,9,8,9,2\nb,6,8,7,8,3\n",
        10,
        (
            ("max_heap_time", 0.005, {"case": "a", "statistic": None}),
            ("parse_time", 0.007, {"case": "b", "statistic": "mean"}),
        ),
    ),
    "an operation called mean above one called sum": PeoplesTable(
        "ops.md",
        "| op | time (ms) |\n|--|--|\n| add | 1.5 |\n| relu | 2.5 |\n| exp | 0.75 |\n| mean (float32) | 3.5 |\n| sum | 9.5 |\n",
        5,
        (("latency", 0.0095, {"op": "sum"}), ("latency", 0.0035, {"op": "mean (float32)"})),
    ),
    "names of heaps as columns": PeoplesTable(
        "heaps.csv",
        "case,Max-Heap (ms),Min-Heap (ms)\na,5,9\nb,6,8\n",
        4,
        (
            ("max_heap_time", 0.005, {"case": "a", "statistic": None}),
            ("min_heap_time", 0.008, {"case": "b", "statistic": None}),
        ),
    ),
    "names of algorithms and layers that no list knows": PeoplesTable(
        "steps.csv",
        "image,Mean-Shift time (ms),Max-Weight time (ms),time Max-Pool2d (ms),Min-Max (ms)\na,1.5,12.5,3.5,7.5\nb,2.5,14.5,4.5,8.5\n",
        8,
        (
            ("mean_shift_time", 0.0025, {"image": "b", "statistic": None}),
            ("max_weight_time", 0.0125, {"image": "a", "statistic": None}),
            ("max_pool2d_time", 0.0045, {"image": "b", "statistic": None}),
            ("min_max_time", 0.0075, {"image": "a", "statistic": None}),
        ),
    ),
    "a metric and its statistic with a hyphen": PeoplesTable(
        "requests.csv",
        "server,Latency-Max (ms),Mean-Latency (ms)\na,1.5,1.25\nb,2.5,1.75\n",
        4,
        (
            ("latency", 0.0025, {"server": "b", "statistic": "maximum"}),
            ("latency", 0.00125, {"server": "a", "statistic": "mean"}),
        ),
    ),
    "statistics with a hyphen beside other words": PeoplesTable(
        "steps.csv",
        "server,Step-Max (ms),GPU-Max (C),Prefill-Avg (ms),Avg-Jitter (ms)\na,1.5,71,12.5,0.5\nb,2.5,72,13.5,0.75\n",
        8,
        (
            ("step_time", 0.0015, {"server": "a", "statistic": "maximum"}),
            ("temperature", 72, {"server": "b", "statistic": "maximum"}),
            ("prefill_time", 0.0125, {"server": "a", "statistic": "mean"}),
            ("jitter_time", 0.00075, {"server": "b", "statistic": "mean"}),
        ),
    ),
    "statistics with a hyphen of one operation": PeoplesTable(
        "disks.csv",
        "disk,Read-Avg (MB/s),Read-Max (MB/s)\na,1.5,2.5\nb,1.75,3.5\n",
        4,
        (
            ("bandwidth", 1.5e6, {"disk": "a", "operation": "Read", "statistic": "mean"}),
            ("bandwidth", 3.5e6, {"disk": "b", "operation": "Read", "statistic": "maximum"}),
        ),
    ),
    "the best and the worst rate of errors": PeoplesTable(
        "servers.csv",
        "server,best errors/s,worst errors/s\na,5.25,7\nb,5.5,8\n",
        4,
        (
            ("error_rate", 5.25, {"server": "a", "statistic": "best"}),
            ("error_rate", 8, {"server": "b", "statistic": "worst"}),
        ),
    ),
    "the time of one step": PeoplesTable(
        "steps.csv", "lib,time per 1 step (ms)\na,5.25\nb,5.5\n", 2, (("step_time", 0.00525, {"lib": "a"}),)
    ),
    "reductions of a size": PeoplesTable(
        "models.csv",
        "lib,size reduction (%),param decrease (%),time (s)\na,5.25,2.5,1.5\nb,5.5,3.5,1.75\n",
        2,
        (("run_time", 1.5, {"lib": "a"}),),
    ),
    "an answer for times whose statistics are rows": PeoplesTable(
        "calls.csv",
        "name,latency\nmean,12.5\np99,15\nmax,20\n",
        3,
        (("latency", 0.015, {"statistic": "p99"}), ("latency", 0.02, {"statistic": "maximum"})),
        answers={"latency": "ms"},
    ),
    "answers for variants whose statistics are rows, with a deviation": PeoplesTable(
        "kernels.csv",
        "name,naive,tiled\nmean,12.5,13.5\np99,15,16.5\nstd,1,2\n",
        4,
        (
            ("latency", 0.0125, {"variant": "naive", "statistic": "mean"}),
            ("latency", 0.0165, {"variant": "tiled", "statistic": "p99"}),
        ),
        answers={"naive": "ms", "tiled": "ms"},
    ),
    "an answer for one of two columns whose statistics are rows": PeoplesTable(
        "kernels.md",
        "| | naive | tiled |\n|--|--|--|\n| mean | 12.5 | 100 |\n| p99 | 15 | 120 |\n",
        2,
        (("tiled_time", 0.12, {"statistic": "p99", "naive": None}),),
        open=frozenset({"naive"}),
        answers={"tiled": "ms"},
    ),
    "names of statistics that are cases, as answers say": PeoplesTable(
        "pools.csv",
        "op,latency\nmean,12.5\nmax,15\nstd,3\n",
        3,
        (("latency", 0.003, {"op": "std", "statistic": None}),),
        answers={"op": "setting", "latency": "ms"},
    ),
}
