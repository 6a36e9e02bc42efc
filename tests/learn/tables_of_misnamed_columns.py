"""Tables in which a name alone would give a column a wrong role: its cells or its neighbours show what it is."""

from tests.learn.tables_of_people import PeoplesTable

MISNAMED = {
    "shares and counts of errors, which are not spreads": PeoplesTable(
        "load.csv",
        "endpoint,users,mean_ms,error_pct,errorRate,errorCount\n/a,10,31.5,0.0,0.0,0\n/b,10,44.5,1.25,0.0125,17\n"
        "/a,50,91.5,3.5,0.035,70\n",
        9,
        (
            ("error_rate", 0.035, {"endpoint": "/a", "users": 50}),
            ("error_count", 17, {"endpoint": "/b", "statistic": None}),
        ),
        frozenset({"errorRate"}),
    ),
    "errors in percent as a tester of load prints them": PeoplesTable(
        "load.md",
        "| Users | Avg (ms) | Error % |\n|---|---|---|\n| 10 | 31.5 | 0.00% |\n| 50 | 88.5 | 0.25% |\n",
        4,
        (("error_rate", 0.0025, {"users": 50}),),
    ),
    "errors that stay spreads": PeoplesTable(
        "spreads.csv",
        "case,latency_ms,latency_error_pct,Score Error (99.9%),std error (ms)\na,2.5,1.5,0.5,0.25\nb,4.5,2.5,0.25,0.5\n",
        2,
        (("latency", 0.0045, {"case": "b"}),),
    ),
    "the largest error of a result": PeoplesTable(
        "kernels.csv",
        "kernel,time_us,max_error\na,2.5,0.00125\nb,4.5,0.0025\n",
        2,
        (("latency", 4.5e-6, {"kernel": "b"}),),
        frozenset({"max_error"}),
    ),
    "the precision of a model's answers": PeoplesTable(
        "quality.csv",
        "model,precision,recall,train_time_s\na,0.905,0.895,12.5\nb,0.885,0.875,33.5\n",
        2,
        (("run_time", 33.5, {"model": "b", "precision": None}),),
        frozenset({"precision", "recall"}),
    ),
    "kinds of processors and links, which are not models": PeoplesTable(
        "machines.csv",
        "arch,network,time_ms\narm64,wifi,31.5\nx86_64,wifi,28.5\narm64,lan,30.5\n",
        3,
        (("latency", 0.0285, {"arch": "x86_64", "network": "wifi", "model": None}),),
    ),
    "block sizes of a disk": PeoplesTable(
        "disk.csv",
        "bs,rw,read_iops\n4096,randread,120311\n65536,randread,30111\n",
        2,
        (("iops", 30111, {"block_size": 65536, "batch_size": None}),),
    ),
    "a time of the processor called user": PeoplesTable(
        "times.csv",
        "tool,wall_s,user\na,2.5,1.75\nb,4.5,3.25\n",
        4,
        (("user_time", 3.25, {"tool": "b"}),),
        answers={"user": "s"},
    ),
    "units in cells of another base than the name": PeoplesTable(
        "store.md",
        "| Store | First byte | Rate |\n|---|---|---|\n| a | 2.5 ms | 61 MiB/s |\n| b | 950 us | 2.5 GiB/s |\n",
        4,
        (("first_byte_time", 950e-6, {"store": "b"}), ("bandwidth", 61 * 2**20, {"store": "a"})),
    ),
    "approximate sizes before the results, and texts with a unit in their name": PeoplesTable(
        "pages.md",
        "| Engine | Page size (kB) | Scripts (kB) | Time (ms) |\n|---|---|---|---|\n"
        "| a | ~200 | main.js (54.5) | 753 |\n| b | ~10 | lite.js (3.5) | 535 |\n",
        4,
        (("page_size", 200e3, {"engine": "a"}), ("latency", 0.535, {"engine": "b", "scripts": None})),
        frozenset({"Scripts (kB)"}),
    ),
    "results of several devices in one cell": PeoplesTable(
        "ranks.csv",
        "precision,total_tflops,per_rank_tflops\nfp16,812.5,r0=401.5;r1=411\nfp8,1620.5,r0=805.5;r1=815\n",
        2,
        (("flops", 812.5e12, {"precision": "fp16"}),),
        frozenset({"per_rank_tflops"}),
    ),
    "counts with slashes after the name of the case": PeoplesTable(
        "alloc.md",
        "| Allocator | GC 0/1/2 | Passed | Time (ms) |\n|---|---|---|---|\n| a | 12/3/1 | 12/12 | 31.5 |\n| b | 0/0/0 | 11/12 | 28.5 |\n",
        2,
        (("latency", 0.0285, {"allocator": "b", "passed": None}),),
        frozenset({"GC 0/1/2", "Passed"}),
    ),
    "sizes of groups with slashes that name the cases": PeoplesTable(
        "parallel.csv",
        "dp/tp/pp,step_ms\n1/2/4,31.5\n2/2/2,28.5\n",
        2,
        (("step_time", 0.0285, {"dp_tp_pp": "2/2/2"}),),
    ),
    "minutes and seconds below names that say no time": PeoplesTable(
        "render.md",
        "| Scene | Render | Build |\n|---|---|---|\n| attic | 2:31 | 0:12 |\n| barn | 12:07 | 1:40 |\n",
        2,
        (("render_time", 727, {"scene": "barn", "build": None}),),
        frozenset({"Build"}),
        answers={"Render": "s"},
    ),
    "how long was measured, beside the rate": PeoplesTable(
        "net.csv",
        "nic,elapsed (s),Gbit/s\na,10.00,91.5\nb,10.01,94.0\nc,10.02,88.5\n",
        3,
        (("bandwidth", 11.75e9, {"nic": "b"}),),
    ),
    "a round time beside no rate is a result": PeoplesTable(
        "sorts.csv",
        "tool,runtime_s,peak_mem_mib\na,10.1,1250.5\nb,10.0,980.5\nc,9.9,1180.5\n",
        6,
        (("run_time", 10.1, {"tool": "a"}),),
    ),
    "the time of sampling tokens is a result": PeoplesTable(
        "chat.csv",
        "model,sampling_time_ms,tokens/s\na,10.5,1250.5\nb,12.5,980.5\nc,9.5,1180.5\n",
        6,
        (("sampling_time", 0.0125, {"model": "b"}),),
    ),
    "a window of measurement": PeoplesTable(
        "net.csv",
        "driver,window_seconds,rate_mpps\na,5.25,65.5\nb,4.75,68.5\n",
        2,
        (("rate", 68.5, {"driver": "b"}),),
    ),
    "a duration that is a result": PeoplesTable(
        "serve.csv",
        "tp,duration_s,req_per_s\n1,17.5,8.5\n2,21.5,41.5\n4,38.5,78.5\n",
        6,
        (("run_time", 38.5, {"tensor_parallel": 4}),),
    ),
    "changes of memory, also below zero": PeoplesTable(
        "mem.csv",
        "case,time_ms,memoryUsedMB\na,31.5,5.25\nb,44.5,-0.75\nc,12.5,1.25\n",
        6,
        (("memory_used", -0.75e6, {"case": "b"}),),
    ),
    "a total among the members of an object": PeoplesTable(
        "load.json",
        '{"login": {"mean_ms": 31.5, "rps": 12.5}, "search": {"mean_ms": 88.5, "rps": 30.0},'
        ' "pay": {"mean_ms": 120.5, "rps": 5.5}, "Total": {"mean_ms": 77.5, "rps": 48.0}}',
        6,
        (("request_throughput", 5.5, {"case": "pay"}),),
    ),
    "a column of numbers whose name ends with a mark": PeoplesTable(
        "issues.csv",
        "Issue #,#,time_ms\n17,1,31.5\n23,2,28.5\n17,3,30.5\n23,4,29.5\n",
        4,
        (("latency", 0.0285, {"issue": 23}),),
    ),
    "statistics of rows whose unit names their metric": PeoplesTable(
        "drives.csv",
        "Device,Test,Min,Avg,Max,Unit\na,read,88,120,160,MB/s\na,seek,4.5,8.5,20.5,ms\nb,read,480,510,540,MB/s\n",
        9,
        (
            ("bandwidth", 510e6, {"device": "b", "test": "read", "statistic": "mean"}),
            ("latency", 0.0205, {"device": "a", "test": "seek", "statistic": "maximum"}),
        ),
    ),
    "a time of queries, or a rate": PeoplesTable(
        "load.csv",
        "dataset,load_s,query_s\na,1.5,0.25\nb,3.5,1.25\n",
        4,
        (("query_time", 1.25, {"dataset": "b"}),),
        answers={"query_s": "s"},
    ),
    "sizes that are measured": PeoplesTable(
        "builds.csv",
        "build,time_s,size\na,31.5,12.25\nb,28.5,12.75\n",
        2,
        (("run_time", 28.5, {"build": "b", "size": None}),),
        frozenset({"size"}),
    ),
    "a size in front that nothing replaces": PeoplesTable(
        "sweep.csv",
        "size,time_ms\n0.5,31.5\n1.25,58.5\n2.75,99.5\n",
        3,
        (("latency", 0.0585, {"size": 1.25}),),
    ),
    "lengths of recordings with colons": PeoplesTable(
        "speech.csv",
        "audio,seconds\n0:30,1.5\n1:45,4.5\n12:10,28.5\n",
        3,
        (("run_time", 4.5, {"audio": "1:45"}),),
    ),
    "whole sizes after a result, which differ in each row": PeoplesTable(
        "compilers.json",
        '{"gcc": {"O0": {"time_s": 3.5, "size": 20112}, "O2": {"time_s": 1.25, "size": 18001}},'
        ' "clang": {"O0": {"time_s": 3.25, "size": 21000}, "O2": {"time_s": 1.5, "size": 17888}}}',
        4,
        (("run_time", 1.5, {"case": "clang", "size": None}),),
        frozenset({"size"}),
    ),
    "percentiles in words of a time without a usual name": PeoplesTable(
        "laps.csv",
        "Metric,Task,Value,Unit\n50.0th percentile service time,a,31.5,ms\n50.0th percentile service time,b,28.5,ms\n"
        "99.9th percentile service time,a,88.5,ms\n",
        3,
        (
            ("service_time", 0.0285, {"task": "b", "statistic": "median"}),
            ("service_time", 0.0885, {"task": "a", "statistic": "p99.9"}),
        ),
    ),
    "members that are statistics, of which none is a total": PeoplesTable(
        "stats.json",
        '{"mean": {"ttft_ms": 31.5, "itl_ms": 8.25}, "p50": {"ttft_ms": 30.0, "itl_ms": 8.0},'
        ' "p99": {"ttft_ms": 88.0, "itl_ms": 12.0}}',
        6,
        (("ttft", 0.0315, {"statistic": "mean"}), ("itl", 0.012, {"statistic": "p99"})),
    ),
}
