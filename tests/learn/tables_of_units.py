"""Tables whose units are in words, in texts beside them or in a column, each with its values by hand."""

from tests.learn.tables_of_people import PeoplesTable

UNITS = {
    "seconds in a heading that has other words, above cases": PeoplesTable(
        "threads.md",
        "# Tiempos tras 3 ejecuciones (en segundos)\n\n| Tamaño | Secuencial | 2 hilos | 4 hilos |\n|--|--|--|--|\n"
        "| 1000 | 0.75 | 0.5 | 0.25 |\n| 2000 | 1.75 | 1.5 | 1.25 |\n",
        6,
        (("run_time", 1.25, {"case": "4 hilos"}),),
    ),
    "a rate in a paragraph above cases": PeoplesTable(
        "nets.html",
        "<html><body><h2>Half precision</h2><p>The table has the inference (eval) and training (train) rate in"
        " samples per second. A card has 11 GB.</p><table><tr><th>GPU</th><th>vgg16</th><th>resnet50</th>"
        "<th>swin</th></tr><tr><td>A100</td><td>405</td><td>685</td><td>129</td></tr>"
        "<tr><td>H100</td><td>513</td><td>912</td><td>234</td></tr></table></body></html>",
        6,
        (("throughput", 912, {"device": "H100"}),),
    ),
    "a unit within a name": PeoplesTable(
        "engines.csv",
        "engine,tpot_ms_last_rounds_p50,rss_mb_peak,wait_ms_total\na,4.5,12.5,1.5\nb,5.5,13.5,2.5\n",
        6,
        (
            ("tpot", 0.0045, {"engine": "a", "statistic": "median"}),
            ("rss_peak", 13.5e6, {"engine": "b"}),
            ("wait_time", 0.0025, {"engine": "b"}),
        ),
    ),
    "cases as columns, without one that names the rows": PeoplesTable(
        "servers.csv",
        "# latency in ms\nnode1,node2,node3\n12,13,14\n15,16,17\n",
        6,
        (("latency", 0.015, {}),),
    ),
    "frameworks as columns, without one that names the rows": PeoplesTable(
        "fits.md",
        "Run time in s\n\n| jax | torch | tensorflow |\n|--|--|--|\n| 12 | 13 | 14 |\n| 15 | 16 | 17 |\n",
        6,
        (("run_time", 15, {"framework": "jax"}),),
    ),
    "a first column that names the rows of frameworks": PeoplesTable(
        "fits.csv",
        "# latency in ms\nspheres,jax,torch\n10,12,13\n20,15,16\n",
        4,
        (("latency", 0.016, {"spheres": 20, "framework": "torch"}),),
    ),
    "metrics and values in other forms, without a header": PeoplesTable(
        "result.csv",
        "recall,91.5 %\nstartup latency,12 ms \u00b1 3 ms\ntrain time,1h 20m\nloss,0.3\n",
        4,
        (("recall", 0.915, {}), ("latency", 0.012, {}), ("run_time", 4800, {})),
    ),
    "a range as the first value, without a header": PeoplesTable(
        "result.csv",
        "latency,10-20 ms\nmemory,3 GB\n",
        1,
        (("memory_used", 3e9, {}),),
        frozenset({"latency"}),
    ),
    "a unit in another sentence than the nearest one": PeoplesTable(
        "clients.md",
        "The reply latency (in ms) is in another section. Retries by client:\n\n| Host | ab | hey | oha |\n|--|--|--|--|\n"
        "| a | 12 | 15 | 11 |\n| b | 13 | 16 | 12 |\n",
        0,
        open=frozenset({"ab"}),
    ),
    "the unit of a condition in a heading": PeoplesTable(
        "learning.md",
        "# Recall by training time in minutes\n\n| net | 5 | 10 | 20 |\n|--|--|--|--|\n| a | 41.5 | 45.5 | 50.5 |\n"
        "| b | 42.5 | 46.5 | 51.5 |\n",
        0,
        open=frozenset({'"5"'}),
    ),
    "problems solved within a time": PeoplesTable(
        "provers.md",
        "# Proofs found within the time in seconds\n\n| prover | easy | hard | odd |\n|--|--|--|--|\n| a | 80 | 70 | 60 |\n"
        "| b | 81 | 71 | 61 |\n",
        0,
        open=frozenset({"easy"}),
    ),
    "a unit of all, before a sentence about another metric": PeoplesTable(
        "texts.md",
        "All had the same wall time (in hours). Perplexity by corpus:\n\n| net | web | news | books |\n|--|--|--|--|\n"
        "| a | 22.5 | 23.5 | 24.5 |\n| b | 21.5 | 22.25 | 23.25 |\n",
        0,
        open=frozenset({"web"}),
    ),
    "a unit within a name that is another's": PeoplesTable(
        "stores.csv",
        "store,wait_ms_total,price_per_gb_week,faults_per_mb_total,waits_over_50_ms_total,stall_ms_count,"
        "pool_mb_evictions,delay_ms_score,ttft_ms_goal_met\na,1.5,0.25,3,15,7,40,2,99.5\nb,2.5,0.75,4,16,8,50,1,98.5\n",
        2,
        (("wait_time", 0.0025, {"store": "b"}),),
        frozenset(
            {
                "price_per_gb_week",
                "faults_per_mb_total",
                "waits_over_50_ms_total",
                "stall_ms_count",
                "pool_mb_evictions",
                "delay_ms_score",
                "ttft_ms_goal_met",
            }
        ),
    ),
    "programs in Go beside those in other languages": PeoplesTable(
        "langs.csv",
        "bench,time_ms,ram_go,ram_zig,cache_Go\na,1.5,12.5,3.5,1.25\nb,2.5,13.5,4.5,2.25\n",
        2,
        (("latency", 0.0025, {"bench": "b"}),),
        frozenset({"ram_go", "ram_zig", "cache_Go"}),
    ),
    "billions of items, and bytes of a message": PeoplesTable(
        "jobs.csv",
        "job,samples (B),rows read (T),params (B),time (h)\na,1.5,2.5,7,3\nb,2.5,3.5,13,4\n",
        2,
        (("run_time", 10800, {"job": "a", "params": 7}),),
        frozenset({"samples (B)", "rows read (T)"}),
    ),
    "octets of French programs in small letters": PeoplesTable(
        "outils.csv",
        "outil,alloue_mo,delta_ram_mo,taille_ko,pluie_mo,disque_go\na,12.5,3.25,1.5,7.5,2.5\nb,13.5,4.25,2.5,8.5,3.5\n",
        8,
        (
            ("alloue", 12.5e6, {"outil": "a"}),
            ("delta_ram", 4.25e6, {"outil": "b"}),
            ("taille", 2500, {}),
            ("disque", 3.5e9, {}),
        ),
        frozenset({"pluie_mo"}),
    ),
    "metrics that differ in a word alone": PeoplesTable(
        "engines.json",
        '[{"e": "a", "ttft_ms": {"p50": 4.5, "p99": 5.5}, "ttft_first_round_ms": {"p50": 6.5, "p99": 7.5}},'
        ' {"e": "b", "ttft_ms": {"p50": 4.75, "p99": 5.75}, "ttft_first_round_ms": {"p50": 6.75, "p99": 7.75}}]',
        8,
        (
            ("ttft", 0.0045, {"e": "a", "statistic": "median"}),
            ("ttft", 0.00775, {"e": "b", "statistic": "p99", "variant": "first_round"}),
        ),
    ),
    "a percentile of each run in a list": PeoplesTable(
        "engines.json",
        '{"config": {"engines": ["a", "b"]}, "results": {"a": {"p50": 4.5, "p99_per_run": [6.5, 6.75, 6.25]},'
        ' "b": {"p50": 5.5, "p99_per_run": [7.5, 7.75, 7.25]}}}',
        8,
        (
            ("latency", 0.0045, {"case": "a", "statistic": "median"}),
            ("latency_p99", 0.00775, {"case": "b", "statistic": "sample"}),
        ),
        answers={"p50": "ms"},
    ),
    "a maximum of one variant beside the time of all": PeoplesTable(
        "engines.csv",
        "engine,latency_ms,latency_cold_max_ms\na,4.5,12.5\nb,5.5,13.5\n",
        4,
        (
            ("latency", 0.0045, {"engine": "a"}),
            ("latency", 0.0135, {"engine": "b", "statistic": "maximum", "variant": "cold"}),
        ),
    ),
    "cents": PeoplesTable(
        "jobs.md",
        "| Job | Cost | Fee (ct) | Price ($) | Time (s) |\n|--|--|--|--|--|\n| a | 42 ct | 3 | 12 cents | 1.5 |\n"
        "| b | 57 ct | 4 | 13 cents | 2.5 |\n",
        8,
        (("cost", 42, {"job": "a"}), ("fee", 4, {"job": "b"}), ("price", 12, {"job": "a"})),
    ),
    "a rate of retries": PeoplesTable(
        "jobs.csv",
        "job,retries/s,crashes/s,time (s)\na,3.5,0.25,1.5\nb,4.5,0.75,2.5\n",
        6,
        (("retry_rate", 4.5, {"job": "b"}), ("crash_rate", 0.25, {"job": "a"})),
    ),
    "levels below 0 with their unit": PeoplesTable(
        "filters.csv",
        "codec,noise,gain,time (ms)\nopus,-12.3 dB,-30.1 dB,1.25\naac,-14.1 dB,-33.8 dB,1.75\n",
        6,
        (("noise", -12.3, {"codec": "opus"}), ("gain", -33.8, {"codec": "aac"})),
    ),
    "levels below 0 with a true minus": PeoplesTable(
        "filters.md",
        "| Filter | Residual | Time (ms) |\n|--|--|--|\n| lms | \u221230.1 dB | 1.25 |\n| rls | \u221241.2 dB | 9.5 |\n",
        4,
        (("residual", -41.2, {"filter": "rls"}),),
    ),
    "numbers below 0 with a unit that only an answer explains": PeoplesTable(
        "loudness.csv",
        "song,output,time (ms)\na,-12.3 LUFS,1.25\nb,-14.1 LUFS,1.75\n",
        4,
        (("output", -14.1, {"song": "b"}),),
        answers={"output": "LUFS"},
    ),
    "octets of French programs": PeoplesTable(
        "outils.csv",
        "outil,temps_s,mémoire_Mo,disque_Go,cache_ko\na,12.5,150.5,1.25,312.5\nb,8.5,98.25,2.5,298.5\n",
        8,
        (
            ("memory_used", 98.25e6, {"outil": "b"}),
            ("disque", 1.25e9, {"outil": "a"}),
            ("cache", 312.5e3, {"outil": "a"}),
        ),
    ),
    "an error that is measured, and an answer that says so": PeoplesTable(
        "fits.csv",
        "model,rmse,rmse_error,pos_error,fit_time_s\na,0.512,0.023,3.5,1.25\nb,0.533,0.034,4.5,2.75\n",
        8,
        (("rmse_error", 0.034, {"model": "b"}), ("pos_error", 4.5, {"model": "b"})),
        answers={"rmse": "1", "rmse_error": "1", "pos_error": "mm"},
    ),
    "errors that are asked about": PeoplesTable(
        "fits.csv",
        "model,rmse_error,mean square error,seconds\na,0.512,0.023,1.25\nb,0.533,0.034,2.75\n",
        2,
        open=frozenset({"rmse_error", "mean square error"}),
    ),
    "an error that is not a spread, as an answer says": PeoplesTable(
        "clocks.csv",
        "clock,time_s,time_error\na,1.5,0.012\nb,2.5,0.013\n",
        4,
        (("run_time", 1.5, {"clock": "a"}), ("time_error", 0.013, {"clock": "b"})),
        answers={"time_error": "s"},
    ),
    "the mean square of an error": PeoplesTable(
        "fits.json",
        '[{"fit": "a", "Mean Squared Error": 0.25, "mean_absolute_error": 1.5}, {"fit": "b", "Mean Squared Error": 0.75, "mean_absolute_error": 2.5}]',
        4,
        (("mse", 0.75, {"fit": "b"}), ("mae", 1.5, {"fit": "a"})),
        answers={"Mean Squared Error": "1", "mean_absolute_error": "1"},
    ),
    "a time of 0, which is too short to be printed": PeoplesTable(
        "ops.md",
        "| Op | Time |\n|---|---|\n| add | 0.05 ns |\n| nop | 0.00 ns |\n| mul | 1.75 ns |\n",
        3,
        (("latency", 1.75e-9, {"op": "mul"}), ("latency", 0, {"op": "nop"})),
    ),
    "a minimum of 0 among others of one digit": PeoplesTable(
        "pings.csv",
        "host,min (ms),max (ms)\na,0.0,0.5\nb,0.1,0.75\nc,0.3,1.25\n",
        6,
        (("latency", 0, {"host": "a", "statistic": "minimum"}),),
    ),
    "a minimum of 0 beside the mean of the same times": PeoplesTable(
        "clocks.csv",
        "call,Min (ns),Mean (ns)\nread,300.45,333.75\nskip,0.00,214.5\n",
        4,
        (("latency", 0, {"call": "skip", "statistic": "minimum"}),),
    ),
    "a median of 0 beside a mean far above its last digit": PeoplesTable(
        "engines.csv",
        "engine,mean_ms,min_ms,p50_ms\na,0.6,0,0.5\nb,1.4,1,1.2\nc,2.5,0,0\n",
        8,
        (("latency", 0, {"engine": "c", "statistic": "minimum"}),),
    ),
    "a median of 0 beside a mean near its last digit": PeoplesTable(
        "engines.csv",
        "engine,mean_ms,p50_ms\na,16.5,12.5\nb,0.3,0.0\n",
        4,
        (("latency", 0, {"engine": "b", "statistic": "median"}),),
    ),
    "a percentile of 0 beside a mean": PeoplesTable(
        "one.csv",
        "latency mean (ms),latency p99 (ms)\n5.2,0\n",
        1,
        (("latency", 0.0052, {"statistic": "mean"}),),
    ),
    "a maximum of 0 beside a mean": PeoplesTable(
        "chat.csv", "cfg,mean ttft (ms),max ttft (ms)\na,5,0\nb,6,9\n", 3, (("ttft", 0.009, {"cfg": "b"}),)
    ),
    "a mean of 0 beside a minimum that its digits do not show": PeoplesTable(
        "chat.csv",
        "cfg,mean ttft (ms),min ttft (us)\na,0.0,40\nb,0.1,45\n",
        4,
        (("ttft", 0, {"cfg": "a", "statistic": "mean"}),),
    ),
    "a minimum of 0.0 beside the mean of another device alone": PeoplesTable(
        "devices.csv",
        "case,cpu min (ms),cpu mean (ms),gpu min (ms),gpu mean (ms)\n"
        "a,1.5,5.5,0.0,\nb,1.0,6.0,20.0,30.0\nc,2.0,6.0,25.0,31.0\n",
        11,
        (("latency", 0.0055, {"case": "a"}), ("latency", 0, {"case": "a", "statistic": "minimum"})),
    ),
    "a mean of 0.0 beside the times of another device": PeoplesTable(
        "devices.csv",
        "case,cpu mean (ms),cpu max (ms),gpu min (ms),gpu mean (ms)\na,0.0,0.4,20.0,30.0\nb,0.2,0.3,20.0,30.0\n",
        8,
        (("latency", 0, {"case": "a", "statistic": "mean"}), ("latency", 0.0004, {"case": "a"})),
    ),
    "a median of 0 beside a mean in whole numbers": PeoplesTable(
        "times.csv",
        "case,median (ms),mean (ms)\na,0,9\nb,40,42\nc,35,37\n",
        5,
        (("latency", 0.009, {"case": "a", "statistic": "mean"}),),
    ),
    "a time of 0 beside times far above its last digit": PeoplesTable(
        "chat.csv", "cfg,ttft (s)\na,0.00\nb,0.95\nc,4.51\nd,120.33\n", 4, (("ttft", 0, {"cfg": "a"}),)
    ),
    "whole times of 0": PeoplesTable(
        "steps.csv", "step,time (ms)\nparse,0\nlink,12\nload,31\n", 3, (("latency", 0, {"step": "parse"}),)
    ),
    "a median of 0 beside a mean of 9, and the answer that keeps it": PeoplesTable(
        "times.csv",
        "case,median (ms),mean (ms)\na,0,9\nb,40,42\nc,35,37\n",
        6,
        (("latency", 0, {"case": "a", "statistic": "median"}),),
        answers={"median (ms)": "ms"},
    ),
    "a time per step with its unit at the end": PeoplesTable(
        "steps.csv",
        "framework,batch,time_per_step_s,latency_per_query_s\nA,8,0.125,1.5\nB,16,0.25,2.5\n",
        4,
        (("step_time", 0.25, {"framework": "B"}), ("time_per_query", 1.5, {"framework": "A"})),
    ),
    "octets in French, also binary ones": PeoplesTable(
        "outils.md",
        "| outil | mémoire (Mio) | disque (Go) | mem_Kio | ms/réponse |\n|---|---|---|---|---|\n"
        "| a | 12.5 | 1.5 | 512.5 | 8.25 |\n| b | 14.5 | 2.5 | 300.25 | 9.75 |\n",
        8,
        (("disque", 1.5e9, {"outil": "a"}), ("time_per_réponse", 9.75e-3, {"outil": "b"})),
    ),
    "millions in German in cells count, unlike octets": PeoplesTable(
        "lager.csv",
        "system,Anfragen,Zeit (s)\na,12 Mio,3.5\nb,15 Mio,4.5\n",
        2,
        (("run_time", 3.5, {"system": "a"}),),
        frozenset({"Anfragen"}),
    ),
    "the first percentile of a rate, beside the rate": PeoplesTable(
        "games.csv",
        "game,fps,fps_p1\na,60.5,40.5\nb,72.5,51.5\n",
        4,
        (("throughput", 60.5, {"game": "a"}), ("throughput", 40.5, {"game": "a"})),
    ),
    "a column called ± is the spread of another": PeoplesTable(
        "waits.csv",
        "system,wait (s),wait ± (s)\na,12.5,0.5\nb,13.5,0.25\n",
        2,
        (("wait_time", 12.5, {"system": "a"}),),
    ),
    "octets in French in cells": PeoplesTable(
        "outils.md",
        "| outil | mémoire | débit |\n|---|---|---|\n| a | 12.5 Kio | 1.5 Go/s |\n"
        "| b | 1.5 Gio | 800.5 Mo/s |\n| c | 800 Ko | 2 Mo/s |\n",
        6,
        (
            ("memory_used", 12.5 * 2**10, {"outil": "a"}),
            ("memory_used", 8e5, {"outil": "c"}),
            ("bandwidth", 8.005e8, {"outil": "b"}),
        ),
    ),
    "sizes in KB and MB beside a text and an empty cell": PeoplesTable(
        "libs.md",
        "| lib | Output | Time |\n|---|---|---|\n| a | 12 KB | 1.5 ms |\n| b | 3.5 MB | 2.5 ms |\n"
        "| c | streaming | 3.5 ms |\n| d |  | 4.5 ms |\n",
        6,
        (("output", 12e3, {"lib": "a"}), ("output", 3.5e6, {"lib": "b"}), ("latency", 4.5e-3, {"lib": "d"})),
    ),
    "cells that repeat the rate of their column in short": PeoplesTable(
        "parsers.md",
        "| parser | ops/sec |\n|---|---|\n| a | 1.92 M/s |\n| b | 850 K/s |\n",
        2,
        (("throughput", 1.92e6, {"parser": "a"}), ("throughput", 8.5e5, {"parser": "b"})),
    ),
    "cells that repeat a rate in millions, and the answer": PeoplesTable(
        "queues.md",
        "| queue | Mops/s |\n|---|---|\n| a | 19.2 M/s |\n| b | 8.5 M/s |\n",
        2,
        (("throughput", 1.92e7, {"queue": "a"}), ("throughput", 8.5e6, {"queue": "b"})),
        answers={"Mops/s": "Mops/s"},
    ),
    "a rate of 0 with the unit of its column": PeoplesTable(
        "disk.csv",
        "tool,read MB/s,write MB/s\ndd,512.5,0.0\nfio,498.25,310.5\nrsync,0,0\n",
        6,
        (
            ("bandwidth", 0, {"tool": "dd", "operation": "write"}),
            ("bandwidth", 0, {"tool": "rsync", "operation": "read"}),
        ),
    ),
    "a rate of 0 with its unit": PeoplesTable(
        "links.csv",
        "link,mode,bandwidth\neth0,up,0.0 Gbit/s\neth0,down,9.4 Gbit/s\neth1,up,8.8 Gbit/s\n",
        3,
        (("bandwidth", 0, {"link": "eth0", "mode": "up"}), ("bandwidth", 1.1e9, {"link": "eth1"})),
    ),
    "a column that an answer makes a case beside others": PeoplesTable(
        "queries.csv",
        "op,old (ms),new (ms),other\na,12.5,10.5,11.5\nb,14.5,13.5,20.5\n",
        6,
        (("latency", 20.5e-3, {"op": "b", "variant": "other"}),),
        answers={"other": "ms"},
    ),
    "a column of an answer beside cells with units": PeoplesTable(
        "kernels.md",
        "| n | naive | blocked | simd |\n|---|---|---|---|\n| 10 | 12.5 ms | 30.5 ms | 11.5 |\n"
        "| 20 | 14.5 ms | 44.5 ms | 11.9 |\n",
        6,
        (("latency", 11.9e-3, {"n": 20, "variant": "simd"}),),
        answers={"simd": "ms"},
    ),
    "rates of calls with commas between thousands, of quoted cells": PeoplesTable(
        "solvers.csv",
        'solver,result\nlu,"28,500 ns/op"\nqr,"31,250 ns/op"\nsvd,"912,400 ns/op"\n',
        3,
        (("latency", 28.5e-6, {"solver": "lu"}), ("latency", 912.4e-6, {"solver": "svd"})),
    ),
    "amounts of a call with commas between thousands": PeoplesTable(
        "parsers.md",
        "| Parser | Time | Allocations |\n|---|---|---|\n| a | 28,500 ns/op | 1,250 allocs/op |\n"
        "| b | 31,250 ns/op | 980 allocs/op |\n",
        4,
        (("latency", 28.5e-6, {"parser": "a"}), ("allocations", 1250, {"parser": "a"})),
    ),
    "counts with a word, which an answer reads": PeoplesTable(
        "linters.md",
        "| Linter | Speed | Found |\n|---|---|---|\n| a | 1,250 files/s | 1,204 issues |\n"
        "| b | 980 files/s | 311 issues |\n| c | 2,410 files/s | 98 issues |\n",
        6,
        (("throughput", 1250, {"linter": "a"}), ("found", 1204, {"linter": "a"})),
        answers={"Found": "issues"},
    ),
    "a cell of a rate of another item than the header": PeoplesTable(
        "filters.md",
        "| Model | FPS |\n|---|---|\n| a | 31.5 |\n| b | 120.5 MP/s |\n| c | 28.5 |\n",
        2,
        (("throughput", 31.5, {"model": "a"}),),
    ),
    "cells of a rate of another item, beside one without a unit": PeoplesTable(
        "codecs.csv",
        "lib,FPS\na,120 MP/s\nb,130 MP/s\nc,240 MP/s\nd,12\n",
        1,
        (("throughput", 12, {"lib": "d"}),),
    ),
    "cells that all have another unit than the header": PeoplesTable(
        "decoders.csv",
        "lib,Throughput (img/s)\na,120 MP/s\nb,130 MP/s\nc,240 MP/s\n",
        3,
        (("throughput", 240, {"lib": "c", "item": "MP"}),),
    ),
    "several texts that say why there is no number": PeoplesTable(
        "cards.md",
        "| Card | Read |\n|---|---|\n| a | 512 MB/s |\n| b | TODO |\n| c | does not fit |\n"
        "| d | < 1 MB/s |\n| e | 480 MB/s |\n",
        2,
        (("bandwidth", 512e6, {"device": "a"}),),
    ),
    "more texts than numbers in one of two cases": PeoplesTable(
        "quants.csv",
        "model,4-bit,8-bit\na,31.5 tok/s,12.5 tok/s\nb,12.5 tok/s,does not fit\nc,5.5 tok/s,TODO\n"
        "d,4.5 tok/s,3.5 tok/s\ne,1.5 tok/s,too large\n",
        7,
        (("throughput", 3.5, {"model": "d", "variant": "8-bit"}),),
    ),
    "texts of one word beside times": PeoplesTable(
        "builds.csv",
        "task,build time\na,12.5 s\nb,TODO\nc,later\nd,31.5 s\ne,28.5 s\n",
        3,
        (("build_time", 28.5, {"task": "e"}),),
    ),
    "times in words with colons": PeoplesTable(
        "jobs.md",
        "| Job | Took |\n|---|---|\n| a | 2m:09s |\n| b | 1m:12s |\n| c | 45s |\n",
        3,
        (("run_time", 129, {"job": "a"}), ("run_time", 45, {"job": "c"})),
    ),
    "hours and minutes in words with colons, beside minutes": PeoplesTable(
        "trainings.csv",
        "job,time\na,1h:02m\nb,12m 30s\nc,58m\n",
        3,
        (("run_time", 3720, {"job": "a"}), ("run_time", 3480, {"job": "c"})),
    ),
    "one time in words in a column of seconds": PeoplesTable(
        "steps.csv",
        "job,A,B\na,31 s,1m:02s\nb,12 s,58 s\nc,2m:12s,41 s\n",
        6,
        (("a_time", 132, {"job": "c"}), ("b_time", 62, {"job": "a"})),
    ),
    "two points in one number, beside commas that are decimal marks": PeoplesTable(
        "codecs.md",
        "| Codec | Sekunden | Bytes |\n|---|---|---|\n| a | 1,254 | 3.837.530 |\n| b | 2,310 | 912.004 |\n",
        4,
        (("run_time", 1.254, {"codec": "a"}), ("bytes", 912_004, {"codec": "b"})),
    ),
    "two points in one number, beside a column with decimal points": PeoplesTable(
        "packers.csv",
        "packer;time (s);written (bytes)\na;12.5;3.837.530\nb;2.25;912.004\nc;3.75;12.400.101\n",
        6,
        (("run_time", 2.25, {"packer": "b"}), ("written", 912_004, {"packer": "b"})),
    ),
    "a word for bytes in French at the end of a name": PeoplesTable(
        "tailles.csv",
        "outil;Temps secondes;taille octets\na;12,54;3.837.530\nb;2,31;912.004\n",
        4,
        (("run_time", 12.54, {"outil": "a"}), ("taille", 912_004, {"outil": "b"})),
    ),
    "spreads among named metrics, which are not asked for": PeoplesTable(
        "report.md",
        "| metric | value | unit |\n|---|---|---|\n| mean latency | 12.5 | ms |\n| stdev | 0.25 | ms |\n| throughput | 81.5 | req/s |\n",
        2,
        (("latency", 12.5e-3, {"statistic": "mean"}), ("request_throughput", 81.5, {})),
    ),
    "numbers beside ranges, of which an answer reads the numbers": PeoplesTable(
        "ranges.md",
        "| Query | A (ms) | B (ms) |\n|---|---|---|\n| q1 | 12.5 | 3.25 |\n| q2 | 14.5 | 10–12 |\n| q3 | 44.5 | 5–6 |\n",
        4,
        (("b_time", 3.25e-3, {"query": "q1"}),),
        answers={"B (ms)": "ms"},
    ),
    "a level with fractions, which is a result": PeoplesTable(
        "stores.csv",
        "# latency in microseconds, best of 3\nop,threads,rocks,level\n"
        "get,1,12.5,14.5\nget,8,22.5,31.5\nput,1,32.5,44.5\nput,8,41.5,60.5\n",
        8,
        (("latency", 31.5e-6, {"op": "get", "threads": 8, "case": "level", "statistic": "minimum"}),),
    ),
    "answers that begin like octets, and words for a ratio": PeoplesTable(
        "stores.csv",
        "store,reads,amplification\na,12.5,1.25\nb,14.5,1.75\n",
        4,
        (("throughput", 12.5e6, {"store": "a"}), ("amplification", 1.75, {"store": "b"})),
        answers={"reads": "Mops", "amplification": "x"},
    ),
    "symbols, footnotes, amounts of money and intervals in cells": PeoplesTable(
        "marks.md",
        "| Lib | Time [95% CI] (ms) | Rate (ops/s) | Cost | p50 |\n|---|---|---|---|---|\n"
        "| a | 12.5 [11.9, 12.8] | 12.4k ± 0.3k 🏆 | $0.42 | 12.5 (0.4) ms |\n"
        "| b | 10.5 [10.1, 10.9] <sup>1</sup> | 1.2M ± 2% | $0.51 | 11.5&nbsp;ms |\n",
        8,
        (
            ("latency", 12.5e-3, {"lib": "a", "statistic": None}),
            ("throughput", 12.4e3, {"lib": "a"}),
            ("throughput", 1.2e6, {"lib": "b"}),
            ("cost", 0.51, {"lib": "b"}),
            ("latency", 11.5e-3, {"lib": "b", "statistic": "median"}),
        ),
    ),
    "statistics beside one that states the unit": PeoplesTable(
        "stats.md",
        "| Device | Avg (ms) | Min | Max |\n|---|---|---|---|\n| a | 12.5 | 11.9 | 13.9 |\n| b | 22.5 | 21.2 | 24.9 |\n",
        6,
        (("latency", 21.2e-3, {"device": "b", "statistic": "minimum"}),),
    ),
    "negative numbers of the size of the others": PeoplesTable(
        "memory.csv",
        "store,memory (MB)\na,5.25\nb,-0.85\nc,13.5\n",
        3,
        (("memory_used", -0.85e6, {"store": "b"}),),
    ),
    "a title of all results": PeoplesTable(
        "sizes.md",
        "Results (in **μs**, lower is better):\n\n| | n=10 | n=100 |\n|---|---|---|\n| v | 1.2 | 12.5 |\n| l | 2.4 | 31.5 |\n",
        4,
        (("latency", 31.5e-6, {"case": "l", "n": 100}),),
    ),
    "a column of spreads alone": PeoplesTable(
        "suite.csv",
        "lib,ops_sec,margin\na,1234567,±1.2%\nb,987654,±0.8%\n",
        2,
        (("throughput", 987654, {"lib": "b", "margin": None}),),
    ),
    "values beside units in JSON": PeoplesTable(
        "value.json",
        '{"latency": {"p50": 12.5, "p99": 20.5, "unit": "ms"}, "throughput": {"value": 812.5, "unit": "req/s"},'
        ' "waits": {"value": 3.5, "unit": "ms"}}',
        4,
        (("latency", 20.5e-3, {"statistic": "p99"}), ("request_throughput", 812.5, {})),
    ),
    "sizes with a letter, rates of tokens in cells": PeoplesTable(
        "llm.md",
        "| Config | Mem | Speed | Disk |\n|---|---|---|---|\n"
        "| q4 | 4.2G | 52 t/s | 512k IOPS |\n| q8 | 7.9G | 31 t/s | 498k IOPS |\n",
        6,
        (("memory_used", 4.2e9, {"config": "q4"}), ("throughput", 31, {"config": "q8"}), ("iops", 512e3, {})),
        answers={"Speed": "tokens/s"},
    ),
    "a metric in each row, with its unit in the cell": PeoplesTable(
        "disk.md",
        "| Test | Result |\n|---|---|\n"
        "| Sequential read | 3,512 MB/s |\n| Random read | 512k IOPS |\n| Read latency | 82 µs |\n",
        3,
        (
            ("bandwidth", 3512e6, {"test": "Sequential read"}),
            ("iops", 512e3, {"test": "Random read"}),
            ("latency", 82e-6, {"test": "Read latency"}),
        ),
    ),
    "a named metric of a size": PeoplesTable(
        "track.csv",
        "Metric,Task,Value,Unit\nMean Throughput,add,412.5,docs/s\nStore size,,1.5,GB\nGC time,,12.5,s\n",
        3,
        (("store_size", 1.5e9, {}), ("gc_time", 12.5, {})),
    ),
    "lines of percentiles": PeoplesTable(
        "jmeter.csv",
        "Label,Average,90% Line,Error %,Sent KB/sec\nHome,120,210,0.10%,12.5\nLogin,220,310,1.20%,22.5\n",
        8,
        (
            ("latency", 0.31, {"label": "Login", "statistic": "p90"}),
            ("error_rate", 0.012, {"label": "Login"}),
        ),
        answers={"Average": "ms"},
    ),
    "statistics of cases in JSON": PeoplesTable(
        "cases.json",
        '{"m|fp16": {"new": {"mean": 12.5, "min": 11.5, "max": 14.5}, "old": {"mean": 15.5, "min": 13.5, "max": 16.5}},'
        ' "m|int8": {"new": {"mean": 8.5, "min": 8.25, "max": 9.5}, "old": {"mean": 9.75, "min": 9.25, "max": 10.5}}}',
        12,
        (
            ("latency", 13.5e-3, {"case": "m|fp16", "statistic": "minimum"}),
            ("latency", 9.75e-3, {"case": "m|int8", "statistic": "mean"}),
        ),
        answers={"mean": "ms"},
    ),
    "counts and shares of errors that are all zero": PeoplesTable(
        "load.json",
        '[{"page": "a", "mean_ms": 12.5, "errorCount": 0, "errorPct": 0.0},'
        ' {"page": "b", "mean_ms": 14.5, "errorCount": 0, "errorPct": 0.0}]',
        6,
        (("error_count", 0, {"page": "a"}), ("error_rate", 0, {"page": "b"})),
    ),
    "rates with a prefix in each cell": PeoplesTable(
        "brokers.md",
        "| Broker | Publish rate | Read speed |\n|---|---|---|\n"
        "| a | 812k msg/s | 1.2M rows/s |\n| b | ~900 msg/s | 12.4k rows/s |\n",
        4,
        (
            ("throughput", 812e3, {"broker": "a"}),
            ("throughput", 900, {"broker": "b"}),
            ("row_rate", 1.2e6, {"broker": "a"}),
        ),
    ),
    "durations in words beside clocks": PeoplesTable(
        "train.md",
        "| App | Train time |\n|---|---|\n| a | 1h 02m |\n| b | 45m 30s |\n| c | 2:03:10 |\n",
        3,
        (("run_time", 3720, {"app": "a"}), ("run_time", 7390, {"app": "c"})),
    ),
    "clocks below a title": PeoplesTable(
        "build.md",
        "## Build times (mm:ss)\n\n| app | cold | warm |\n|---|---|---|\n| x | 12:04 | 1:10 |\n| y | 3:30 | 0:20 |\n",
        4,
        (("run_time", 724, {"app": "x"}), ("run_time", 20, {"app": "y"})),
    ),
    "a title with a statistic in brackets": PeoplesTable(
        "maps.md",
        "Time per operation, in nanoseconds (average of 3 runs, ± standard deviation)\n\n"
        "| map | put | find | drop |\n|---|---|---|---|\n"
        "| a | 120.5 ± 3.1 | 80.25 ± 1.5 | 95.5 ± 2 |\n| b | 60.5 ± 1.1 | 30.25 ± 0.5 | 45.5 ± 1 |\n",
        6,
        (("action_time", 80.25e-9, {"map": "a", "case": "find", "statistic": "mean"}),),
    ),
    "a sentence that says what the numbers are": PeoplesTable(
        "tools.md",
        "Times are wall-clock seconds (median of 7 runs).\n\n"
        "| Tool | big | small |\n|---|---|---|\n| m | 12.1 | 3.4 |\n| n | 8.25 | 1.2 |\n",
        4,
        (("run_time", 8.25, {"tool": "n", "case": "big", "statistic": "median"}),),
    ),
    "a title in Italian": PeoplesTable(
        "prove.md",
        "Tempo medio di 5 esecuzioni (secondi)\n\n"
        "| Programma | piccolo | grande |\n|---|---|---|\n| a | 1,25 | 10,4 |\n| b | 2,31 | 12,75 |\n",
        4,
        (("run_time", 10.4, {"programma": "a", "case": "grande", "statistic": "mean"}),),
    ),
    "counts of runs in names": PeoplesTable(
        "runs.csv",
        "parser,Average time (5 runs) in ms,Time (s) [median of 100]\na,12.5,1.5\nb,14.25,2.5\n",
        4,
        (
            ("latency", 12.5e-3, {"parser": "a", "statistic": "mean"}),
            ("run_time", 2.5, {"parser": "b", "statistic": "median"}),
        ),
    ),
    "rates of errors beside spreads, and units like others": PeoplesTable(
        "load.csv",
        "page,error rate (%),TOPS,± %\na,0.5,1.25,±1.2%\nb,2.25,1.75,±0.8%\n",
        4,
        (("error_rate", 0.0225, {"page": "b"}), ("tops", 1.25, {"page": "a", "%": None})),
    ),
    "answers that a number counts, and that a column is ignored": PeoplesTable(
        "answers.csv",
        "run,time_ms,wins,noise\na,12.5,31,0.25\nb,14.5,47,0.75\n",
        4,
        (("wins", 47, {}),),
        answers={"wins": "count", "noise": "ignore"},
    ),
    "rates in thousands and millions, and rates of a millisecond": PeoplesTable(
        "many.csv",
        "store,krps,lookups (Mops),tok/s (x1000),inserts (10^3 ops/s),puts [ops/ms],scan (mln rows/s)\n"
        "a,12.5,1.25,2.5,3.5,4.5,0.75\nb,13.5,1.75,2.75,3.75,4.75,0.85\n",
        12,
        (("request_throughput", 12.5e3, {"store": "a"}),),
    ),
    "quantities divided by their unit": PeoplesTable(
        "iupac.csv",
        "solver,t/ms,Energy / mWh,p99/ms,Throughput / (req/s)\na,12.5,2.5,14.5,81.5\nb,13.5,3.5,15.5,82.5\n",
        8,
        (
            ("latency", 13.5e-3, {"solver": "b", "statistic": None}),
            ("energy", 9.0, {"solver": "a"}),
            ("latency", 15.5e-3, {"solver": "b", "statistic": "p99"}),
            ("request_throughput", 82.5, {}),
        ),
    ),
    "long names of bytes, and bytes in camel case": PeoplesTable(
        "long.csv",
        "system,sentKBytesPerSec,usedMemoryKb,disk (megabytes per second)\na,412.5,2312,12.5\nb,415.25,4127,14.5\n",
        6,
        (("bandwidth", 412.5e3, {"system": "a"}), ("memory_used", 4127e3, {}), ("bandwidth", 14.5e6, {})),
    ),
    "an energy or a cost of many, and a rate for each watt": PeoplesTable(
        "cost.csv",
        "model,$/1M tokens,Wh/1k tokens,img/s/W,min/epoch\na,0.25,1.75,12.5,3.5\nb,0.75,2.25,14.25,4.5\n",
        8,
        (("img_per_s_per_w", 14.25, {"model": "b"}), ("epoch_time", 210, {"model": "a"})),
    ),
    "units in other alphabets": PeoplesTable(
        "abc.csv",
        "模型,延迟 (毫秒),время (сек)\nа,12.5,1.5\nб,14.5,2.5\n",
        4,
        (("latency", 12.5e-3, {}), ("run_time", 2.5, {})),
    ),
    "units that keep their own name": PeoplesTable(
        "own.csv",
        "system,ns_per_day,tokens_per_watt,Simulated years per day,bytes_per_token,bits/byte\n"
        "a,812.5,5.5,4.25,4.125,0.925\nb,41.25,9.25,7.75,4.5,0.875\n",
        10,
        (
            ("ns_per_day", 812.5, {"system": "a"}),
            ("tokens_per_watt", 9.25, {"system": "b"}),
            ("simulated_years_per_day", 7.75, {}),
            ("bytes_per_token", 4.125, {}),
            ("bits_per_byte", 0.875, {}),
        ),
    ),
    "names that are units": PeoplesTable(
        "rates.csv",
        "db,NOPM,GLUPS,MTEPS,Mpps,kIOPS\npg,412345,1.25,320.5,14.75,85.5\nmy,298765,2.5,640.5,9.75,92.25\n",
        10,
        (("nopm", 298765, {"db": "my"}), ("glups", 1.25, {}), ("mpps", 9.75, {}), ("iops", 85.5e3, {})),
    ),
    "percent of things that have no usual metric": PeoplesTable(
        "percent.csv",
        "model,WER %,CPU (%),cpu rx [%],I/O [% of total],miss_pct\na,4.25,12.5,3.25,1.5,8.5\nb,3.75,24.5,6.5,2.5,6.75\n",
        10,
        (("wer", 0.0425, {"model": "a"}), ("cpu", 0.245, {}), ("cpu_rx", 0.0325, {}), ("i_o", 0.015, {})),
    ),
    "a chosen percentage": PeoplesTable(
        "sparsity.csv",
        "sparsity (%),latency_ms\n0,4.5\n50,3.5\n90,1.5\n",
        3,
        (("latency", 1.5e-3, {"sparsity": 90}),),
    ),
    "octets": PeoplesTable(
        "octets.csv",
        "programme;Temps (s);RAM (Go);Taille [ko];Débit (Mo/s)\na;1,5;2,5;412;12,5\nb;2,5;3,5;415;14,5\n",
        8,
        (("ram", 2.5e9, {"programme": "a"}), ("taille", 415e3, {}), ("bandwidth", 14.5e6, {})),
    ),
    "amounts per operation": PeoplesTable(
        "go.md",
        "| Benchmark | ns/op | B/op | allocs/op |\n|---|---|---|---|\n| Parse | 1203 | 512 | 7 |\n| Encode | 834 | 256 | 3 |\n",
        6,
        (("action_time", 834e-9, {"benchmark": "Encode"}), ("b_per_op", 512, {}), ("allocs_per_op", 7, {})),
    ),
    "rates of a minute and an hour": PeoplesTable(
        "shop.csv",
        "shop,orders/min,jobs per hour\na,412.5,12.5\nb,399.25,11.25\n",
        4,
        (("orders_per_min", 412.5, {"shop": "a"}), ("jobs_per_hour", 11.25, {"shop": "b"})),
    ),
    "sizes that are results": PeoplesTable(
        "size.csv",
        "Verfahren;Größe (MB);Dauer (s)\nzstd;412,5;12,5\ngzip;455,25;40,5\n",
        4,
        (("größe", 455.25e6, {"verfahren": "gzip"}),),
    ),
    "a unit for each row, of several columns": PeoplesTable(
        "long.csv",
        "benchmark,value,p99,std,unit\ninsert,1.5,2.75,0.1,ms\nlookup,250,410,5,us\nscan,3.5,9.25,0.2,ms\n",
        6,
        (
            ("latency", 1.5e-3, {"benchmark": "insert", "unit": None}),
            ("latency", 410e-6, {"benchmark": "lookup", "statistic": "p99"}),
        ),
    ),
    "a metric and a unit for each row, of several columns": PeoplesTable(
        "named.csv",
        "test,metric,value,p99,unit\nA,latency,10.5,12.5,ms\nA,throughput,95,97.5,req/s\n"
        "B,latency,800,910,us\nB,throughput,1250,1300,req/s\n",
        8,
        (
            ("latency", 910e-6, {"test": "B", "statistic": "p99"}),
            ("request_throughput", 97.5, {"test": "A", "statistic": "p99"}),
        ),
    ),
    "units of several kinds that name the metric": PeoplesTable(
        "kinds.csv",
        "name,value,p99,unit\ncopy,12.5,12.75,GB/s\nlaunch,4.5,6.5,us\nsync,1.5,2.5,ms\n",
        6,
        (("latency", 6.5e-6, {"statistic": "p99"}), ("latency", 2.5e-3, {"statistic": "p99"})),
    ),
    "units of JSON beside the rows": PeoplesTable(
        "units.json",
        '{"units": {"throughput": "tokens/s", "ttft": "ms"}, "results": ['
        '{"model": "a", "metrics": {"throughput": 1250.5, "ttft": 12.5}},'
        '{"model": "b", "metrics": {"throughput": 950.5, "ttft": 17.5}}]}',
        4,
        (("ttft", 0.0175, {"model": "b", "units": None}), ("throughput", 1250.5, {"item": "token"})),
    ),
    "units of JSON in each row": PeoplesTable(
        "row.json",
        '[{"name": "sort", "mean": 1.25, "unit": "ms"}, {"name": "hash", "mean": 250.0, "unit": "us"}]',
        2,
        (("latency", 250e-6, {"case": "hash", "unit": None}),),
    ),
    "one unit of JSON for members": PeoplesTable(
        "members.json",
        '{"unit": "ms", "results": {"a100": {"mean": 1.5, "max": 2.5}, "h100": {"mean": 0.75, "max": 1.25}}}',
        4,
        (("latency", 1.25e-3, {"device": "h100", "statistic": "maximum", "unit": None}),),
    ),
    "units of figures and of factors": PeoplesTable(
        "both.csv",
        "op,latency,latency_unit,size,size_unit\na,1.5,ms,4,KiB\nb,250,us,16,MiB\n",
        2,
        (("latency", 250e-6, {"op": "b", "size": 16, "size_unit": "MiB"}),),
    ),
    "an answer for a metric that a row names": PeoplesTable(
        "amplification.csv",
        "metric,value\nwrite amplification,12.5\nlatency (ms),3.5\n",
        2,
        (("write_amplification", 12.5, {}),),
        answers={"write amplification": "1"},
    ),
    "an answer for a metric that another column has": PeoplesTable(
        "delay.csv",
        "model,latency_ms,delay\na,12.5,3.25\nb,13.5,3.75\n",
        4,
        (("latency", 12.5e-3, {"model": "a"}), ("delay", 3.75e-3, {"model": "b"})),
        answers={"delay": "ms"},
    ),
    "a name with a blank that is pasted as it is printed": PeoplesTable(
        "blank.csv",
        "model,write\u00a0amp\na,12.5\nb,13.5\n",
        2,
        (("write_amp", 13.5, {}),),
        answers={"write amp": "1"},
    ),
    "answers that are a count in a minute": PeoplesTable(
        "minute.csv",
        "shop,rate,orders\na,412.5,12.5\nb,399.25,11.5\n",
        4,
        (("rate", 412.5, {}), ("orders", 11.5, {})),
        answers={"rate": "1/min", "orders": "orders/min"},
    ),
    "a percentage that people choose": PeoplesTable(
        "mix.csv",
        "write ratio (%),ops/s\n0,1250.5\n50,990.25\n100,610.5\n",
        3,
        (("throughput", 990.25, {"write_ratio": 50}),),
    ),
    "a list of units in a comment": PeoplesTable(
        "list.csv",
        "# units: latency=us, bandwidth=GB/s\nop,bytes,latency,bandwidth\nallreduce,1024,21.5,0.05\nallreduce,4096,110.5,9.5\n",
        4,
        (("latency", 21.5e-6, {"bytes": 1024}), ("bandwidth", 9.5e9, {})),
    ),
    "a comment below that says the units": PeoplesTable(
        "below.csv",
        "op,latency,throughput\na,12.5,99.5\nb,13.5,88.5\n# latency: ms, throughput: images/s\n",
        4,
        (("latency", 12.5e-3, {"op": "a"}), ("throughput", 88.5, {"op": "b"})),
    ),
    "a comment with as many commas as the header": PeoplesTable(
        "commas.csv",
        "# 10 warm-up runs, latency in us\nop,latency\na,12.5\nb,13.5\n",
        2,
        (("latency", 13.5e-6, {"op": "b"}),),
    ),
    "a padded comment between rows": PeoplesTable(
        "padded.csv",
        "model,variant,latency_ms\nbert,base,4.5\n# large ones,,\nbert,large,12.5\n",
        2,
        (("latency", 12.5e-3, {"model": "bert", "variant": "large"}),),
    ),
    "a sentence about all times, also loads": PeoplesTable(
        "prose.md",
        "We ran each kernel 10 times. All times in seconds.\n\n"
        "| Dataset | Load time | Train time |\n|---|---:|---:|\n| small | 1.25 | 33.5 |\n| large | 8.75 | 402.25 |\n",
        4,
        (("load_time", 8.75, {"dataset": "large"}), ("run_time", 33.5, {"dataset": "small"})),
    ),
    "a sentence far above": PeoplesTable(
        "far.md",
        "# Bench\n\nUnless noted, all times are in microseconds.\n\n## Section\n\nHere:\n\n"
        "| Op | Time | Ops/s |\n|---|---|---|\n| a | 12.5 | 80.5 |\n| b | 13.5 | 70.5 |\n",
        4,
        (("latency", 12.5e-6, {"op": "a"}),),
    ),
    "a heading above a sentence": PeoplesTable(
        "heading.md",
        "## Latency (ms)\n\nMeasured with 10 warm-up runs.\n\n"
        "| Model | p50 latency | Throughput (seq/s) |\n|---|---|---|\n| a | 12.5 | 80.5 |\n| b | 13.5 | 70.5 |\n",
        4,
        (("latency", 12.5e-3, {"model": "a", "statistic": "median"}),),
    ),
    "a LaTeX caption with two units": PeoplesTable(
        "two.tex",
        "\\caption{Latency (ms) and throughput (sequences/s) of two models}\n\\begin{tabular}{lrr}\n"
        "Model & Latency & Throughput \\\\\n\\hline\nBERT & 12.5 & 80 \\\\\nT5 & 30.25 & 33 \\\\\n\\end{tabular}\n",
        4,
        (("latency", 12.5e-3, {"model": "BERT"}), ("throughput", 33, {"model": "T5"})),
    ),
    "statistics of the only unit that is stated": PeoplesTable(
        "clients.csv",
        "# latencies in ms\nclients,qps,p50,p99\n1,1250.5,12.5,20.5\n8,7250.5,13.5,30.5\n",
        6,
        (("latency", 30.5e-3, {"clients": 8, "statistic": "p99"}),),
    ),
    "units of two columns in one comment": PeoplesTable(
        "load.csv",
        "# load time in s, latency in ms\nmodel,load time,latency\na,12.5,3.5\nb,13.5,4.5\n",
        4,
        (("load_time", 12.5, {"model": "a"}), ("latency", 4.5e-3, {"model": "b"})),
    ),
    "a unit of something else": PeoplesTable(
        "timeout.csv", "# timeout in seconds: 30\nop,latency\na,12.5\nb,13.5\n", 0, (), frozenset({"latency"})
    ),
    "a description in JSON": PeoplesTable(
        "about.json",
        '{"description": "All times in ms", "results": [{"op": "a", "time": 1.5}, {"op": "b", "time": 2.5}]}',
        2,
        (("latency", 2.5e-3, {"op": "b"}),),
    ),
    "marks between thousands of factors": PeoplesTable(
        "swiss.csv",
        "Batch size;elements;Tokens/s\n1'024;1_000;12'345.5\n2'048;10_000;14'400.5\n",
        2,
        (("throughput", 12345.5, {"batch_size": 1024, "elements": 1000}),),
    ),
    "several numbers in one cell": PeoplesTable(
        "layers.csv",
        "layers;time (ms)\n128 256 512;12.5\n64 128 256;25.5\n",
        2,
        (("latency", 12.5e-3, {"layers": "128 256 512"}),),
    ),
    "factors with units": PeoplesTable(
        "chunks.csv",
        "Chunk (KiB),Message size [MB],Latency (us)\n4,1,12.5\n16,2,25.5\n",
        2,
        (("latency", 12.5e-6, {"chunk_kib": 4, "message_size_mb": 1}),),
    ),
    "tps of a language model": PeoplesTable(
        "tps.csv",
        "model,prefill tps,decode tps\na,1450.5,45.5\nb,1290.5,41.25\n",
        4,
        (
            ("input_token_throughput", 1450.5, {"model": "a"}),
            ("output_token_throughput", 41.25, {"model": "b"}),
        ),
    ),
    "MB that a text says is MiB": PeoplesTable(
        "mib.md",
        "Memory is in MiB (nvidia-smi).\n\n| Model | Peak memory (MB) |\n|---|---|\n| a | 1250.5 |\n| b | 2250.5 |\n",
        2,
        (("memory_used", 1250.5 * 2**20, {"model": "a"}),),
    ),
    "one answer about MB": PeoplesTable(
        "twice.csv",
        "model,mem_before_mb,mem_after_mb,time_s\na,1250.5,1300.5,1.5\nb,2250.5,2290.5,2.5\n",
        6,
        (("run_time", 2.5, {"model": "b"}),),
        answers={"mem_before_mb": "MiB"},
    ),
    "octets of memory": PeoplesTable(
        "mo.csv",
        "Modèle;Mémoire max (Mo)\na;2048,5\nb;4096,5\n",
        2,
        (("memory_used", 2048.5e6, {"model": "a"}),),
    ),
    "a unit with a capital inside": PeoplesTable(
        "kwh.csv", "code,tokens/kWh\na,4800.5\nb,7200.5\n", 2, (("tokens_per_k_wh", 4800.5, {"code": "a"}),)
    ),
    "rows of a metric in units of several scales and quantities": PeoplesTable(
        "queue.csv",
        "queue,stage,kpi,value,unit\n"
        "a,in,throughput,812.5,kmsg/s\na,out,throughput,1204000,msg/s\na,all,lag_max,48210,msg\n"
        "b,in,throughput,1.25,GB/s\nb,out,throughput,2.5,kmsg/s\nb,all,load,75,%\n"
        "c,in,throughput,412.5,kreq/s\nc,out,throughput,99500,req/s\nc,in,speedup,1.5,x\n",
        8,
        (
            ("throughput", 812500, {"queue": "a", "stage": "in"}),
            ("throughput", 1204000, {"queue": "a", "stage": "out"}),
            ("throughput", 2500, {"queue": "b", "stage": "out"}),
            ("bandwidth", 1.25e9, {"queue": "b", "stage": "in"}),
            ("request_throughput", 412500, {"queue": "c", "stage": "in"}),
            ("request_throughput", 99500, {"queue": "c", "stage": "out"}),
            ("lag", 48210, {"stage": "all"}),
            ("load", 0.75, {"stage": "all"}),
        ),
    ),
    "rates in thousands beside others": PeoplesTable(
        "rates.csv",
        "db,throughput,unit\na,1.5,kreq/s\nb,250,req/s\n",
        2,
        (("request_throughput", 1500, {"db": "a"}), ("request_throughput", 250, {"db": "b"})),
    ),
    "an answer holds for the rows that state no unit": PeoplesTable(
        "mixed.csv",
        "db,metric,value,unit\na,throughput,412.5,\nb,throughput,1.5,GB/s\nc,throughput,2.5,kreq/s\n",
        3,
        (
            ("request_throughput", 412.5, {"db": "a"}),
            ("bandwidth", 1.5e9, {"db": "b"}),
            ("request_throughput", 2500, {"db": "c"}),
        ),
        answers={"throughput": "requests/s"},
    ),
    "a multiple of a rate": PeoplesTable(
        "rays.csv",
        "Szene;Durchsatz (Mio. Strahlen/s);Rate (thousand tokens per second)\nBad;7,25;402,5\nHof;9,5;133,25\n",
        4,
        (("throughput", 7.25e6, {"szene": "Bad"}), ("token_throughput", 133250, {"szene": "Hof"})),
    ),
    "a head that says how its times are written": PeoplesTable(
        "clock.csv",
        "scene,duration (min:s),wait (h:mm),setup (hh:mm:ss)\na,3:48,15:52,1:02:03\nb,75:08,0:58,0:01:30\nc,0:47,DNF,0:59:59\n",
        8,
        (
            ("run_time", 4508, {"scene": "b"}),
            ("wait_time", 57120, {"scene": "a"}),
            ("wait_time", 3480, {"scene": "b"}),
            ("setup_time", 3723, {"scene": "a"}),
        ),
    ),
    "hours and minutes that a spreadsheet shows with seconds": PeoplesTable(
        "hours.csv", "job,wall time (h:mm)\na,15:52:00\nb,2:30:00\n", 2, (("run_time", 57120, {"job": "a"}),)
    ),
    "hours and minutes beside other forms": PeoplesTable(
        "mixed.csv",
        "job,loss,wall time (h:mm)\na,1.5,15:52\nb,1.25,2:30:00\n",
        2,
        open=frozenset(("wall time (h:mm)",)),
    ),
    "hours and minutes that are plain numbers": PeoplesTable(
        "plain.csv", "job,wall time (h:mm)\na,15.87\nb,2.5\n", 0, open=frozenset(("wall time (h:mm)",))
    ),
    "times of any size below names with versions": PeoplesTable(
        "engines.md",
        "### Time\n\n| | awk 5.3 | mine | rival 2.1 |\n|---|---|---|---|\n| count | 18.5 ms | 214 µs | 9.25 ms |\n"
        "| sort | 2 min 11 s | 1m 34s | **2,350 ms** |\n| join | > 10 min¹ | OOM | 1h 02m |\n\n¹ killed\n",
        7,
        (
            ("latency", 131, {"case": "sort", "variant": "awk 5.3"}),
            ("latency", 94, {"case": "sort", "variant": "mine"}),
            ("latency", 2.35, {"case": "sort", "variant": "rival 2.1"}),
            ("latency", 3720, {"case": "join", "variant": "rival 2.1"}),
        ),
    ),
    "times that mostly failed": PeoplesTable(
        "failed.csv",
        "query,Tool 1.7\nq1,18.5 ms\nq2,OOM\nq3,> 10 min\n",
        1,
        (("tool_1.7_time", 0.0185, {"query": "q1"}),),
    ),
    "a version in the name of a setting": PeoplesTable(
        "version.csv",
        "jq 1.7,latency_ms\nfast,18.5\nslow,24.5\n",
        2,
        (("latency", 0.0185, {"jq_1.7": "fast"}),),
    ),
    "footnotes in cells": PeoplesTable(
        "notes.md",
        "| run | Energy (kWh) | top-1 |\n|---|---|---|\n| a | 7.25 | 76.02 % |\n| b | 6.1 [^w] | 74.6† % |\n\n[^w]: GPU\n",
        4,
        (("energy", 6.1 * 3.6e6, {"run": "b"}), ("top_1", 0.746, {"run": "b"})),
    ),
    "a quantity over its unit above several columns": PeoplesTable(
        "si.csv",
        "cpu,Bandwidth / GB/s,,Latency / ns,tokens / s\n,Copy,Triad,,\na,301.5,309.5,118.5,40.5\nb,412.5,428.5,142.5,41.5\n",
        8,
        (
            ("bandwidth", 428.5e9, {"cpu": "b", "operation": "Triad"}),
            ("latency", 118.5e-9, {"cpu": "a"}),
            ("throughput", 41.5, {"cpu": "b", "item": "token"}),
        ),
    ),
    "an energy per any item": PeoplesTable(
        "energy.csv",
        "model,Energy (mJ/inference),Consumption [Wh/prompt],Cost (MJ/doc)\na,12.5,0.25,1.5\nb,14.5,0.75,2.5\n",
        6,
        (
            ("energy_per_inference", 12.5, {"model": "a"}),
            ("consumption", 0.75, {"model": "b"}),
            ("cost", 2.5, {"model": "b"}),
        ),
    ),
    "an energy per item in an object of units": PeoplesTable(
        "edge.json",
        '{"units": {"latency": "ms", "energy": "mJ/img"}, "results": {"x": {"1": {"latency": 2.5, "energy": 38.5},'
        ' "8": {"latency": 13.5, "energy": 24.5}}, "y": {"1": {"latency": 4.5, "energy": 61.5}, "8": "OOM"}}}',
        6,
        (("energy_per_image", 24.5, {"8": None}), ("latency", 4.5e-3, {"8": None})),
    ),
    "units of a title, each by the name of its figure": PeoplesTable(
        "title.md",
        "Speed (ns/day) and energy (mJ/inference)\n\n| system | Speed 1 GPU | Speed 4 GPUs | Energy 1 GPU | Energy 4 GPUs |\n"
        "|---|---|---|---|---|\n| a | 44.5 | 138.5 | 100.5 | 90.5 |\n| b | 121.5 | 289.5 | 101.5 | 91.5 |\n",
        8,
        (
            ("speed", 138.5, {"system": "a", "devices": 4}),
            ("energy_per_inference", 101.5, {"system": "b", "devices": 1}),
        ),
    ),
    "a multiple of a rate in a title": PeoplesTable(
        "prompts.md",
        "**Table 3.** Short prompts: thousand tokens per second by batch size.\n\n| Tool | batch 1 | batch 64 |\n"
        "|---|---|---|\n| a | 402 | 9,415 |\n| b | 133 | 5,302 |\n",
        4,
        (("throughput", 9_415_000, {"tool": "a", "batch_size": 64}),),
    ),
    "a size on disk of each engine": PeoplesTable(
        "disk.csv",
        "Engine,Load time (min),Size on disk (GiB)\na,3.5,25.75\nb,6.25,163\n",
        4,
        (("size_on_disk", 163 * 2**30, {"engine": "b"}),),
    ),
    "a unit for each column in one caption": PeoplesTable(
        "tools.org",
        "#+CAPTION: Setup = wall time in s, Image = stripped size in KiB, the other columns are run times in ms"
        " (minimum of 10 runs).\n| Tool | Setup | Image | sort | hash |\n| <l> | <r> | <r> | <r> | <r> |\n"
        "|---+---+---+---+---|\n| ld | 41.5 | 902 | 1874 | 731 |\n| mold | 1.9 | 871 | 1702 | 688 |\n",
        8,
        (
            ("setup_time", 41.5, {"tool": "ld"}),
            ("image", 871 * 1024, {"tool": "mold"}),
            ("latency", 1.874, {"variant": "sort", "statistic": "minimum", "tool": "ld"}),
            ("latency", 0.688, {"variant": "hash", "statistic": "minimum", "tool": "mold"}),
        ),
    ),
    "a caption whose units are not clear": PeoplesTable(
        "unclear.org",
        "#+CAPTION: Setup = wall time in s, Image = stripped size in KiB, all of it twice in ms\n"
        "| Tool | Setup | Image | Speed (MB/s) |\n|---+---+---+---|\n| ld | 41.5 | 902 | 7.5 |\n| mold | 1.9 | 871 | 8.5 |\n",
        2,
        (("bandwidth", 7.5e6, {"tool": "ld"}),),
        frozenset({"Setup", "Image"}),
    ),
    "the statistic in a text": PeoplesTable(
        "zip.csv",
        "# corpus.tar, 1 Thread, Median aus 7 Läufen\nTool;Level;Speed [MB/s]\nzstd;a;511.5\nxz;b;4.25\n",
        2,
        (("bandwidth", 511.5e6, {"tool": "zstd", "statistic": "median"}),),
    ),
    "a count that is not one of runs": PeoplesTable(
        "devices.md",
        "Average over 8 GPUs, best of 3 models.\n\n| tool | latency (ms) |\n|---|---|\n| a | 41.5 |\n| b | 1.9 |\n",
        2,
        (("latency", 0.0415, {"tool": "a", "statistic": None}),),
    ),
    "a command is the case, and the spread is kept": PeoplesTable(
        "search.md",
        "| Command | Mean [ms] | Relative |\n|:---|---:|---:|\n| `find -n x` | 84.5 ± 2.5 | 1.00 |\n"
        "| `find -n -j1 x` | 397.5 ± 3.5 | 4.70 ± 0.12 |\n| `seek x` | 118.5 ± 5.5 | 1.40 |\n",
        3,
        (("latency", 0.3975, {"command": "find -n -j1 x"}), ("latency", 0.1185, {"command": "seek x"})),
    ),
    "a command that is the same in all cases": PeoplesTable(
        "tool.csv",
        "tool,command,latency_ms\na,run x,4.5\nb,run x,5.5\n",
        2,
        (("latency", 0.0045, {"tool": "a", "command": None}),),
    ),
    "a size that recurs is asked for": PeoplesTable(
        "store.csv",
        "mode,sync,db_size_mb,latency_ms\na,full,118.25,4.5\na,off,118.25,3.5\nb,full,118.5,2.5\nb,off,118.5,1.5\n",
        4,
        (("latency", 0.0045, {"mode": "a", "sync": "full", "db_size_mb": None}),),
        frozenset({"db_size_mb"}),
    ),
    "a size that recurs after the times is a result": PeoplesTable(
        "store.csv",
        "mode,sync,latency_ms,db_size_mb\na,full,4.5,118.25\na,off,3.5,118.25\nb,full,2.5,118.5\nb,off,1.5,118.5\n",
        8,
        (
            ("latency", 0.0045, {"mode": "a", "db_size_mb": None}),
            ("db_size", 118.5e6, {"mode": "b", "sync": "off"}),
        ),
    ),
    "a count of errors": PeoplesTable(
        "servers.csv",
        "server,latency_ms,Socket errors\na,4.5,0\nb,3.5,0\nc,2.5,0\nd,1.5,37\n",
        8,
        (("latency", 0.0045, {"server": "a", "socket_errors": None}), ("socket_errors", 37, {"server": "d"})),
    ),
    "block sizes of storage": PeoplesTable(
        "disk.csv",
        "rw,bs,iodepth,clat_us\nread,4k,1,66.5\nread,1M,8,1156.5\n",
        2,
        (("clat_time", 66.5e-6, {"block_size": "4k", "batch_size": None}),),
    ),
    "times in columns called as a repeat, a step and a user": PeoplesTable(
        "parts.md",
        "| query | run | step | user |\n|---|---|---|---|\n| q1 | 1.5 s | 21.5 ms | 0.5 s |\n| q2 | 3 min | 22.5 ms | 1 min 5 s |\n",
        6,
        (
            ("run_time", 180, {"query": "q2", "run": None}),
            ("step_time", 0.0225, {"query": "q2"}),
            ("user_time", 65, {"query": "q2"}),
        ),
    ),
    "a title with two metrics": PeoplesTable(
        "both.md",
        "Latency (ms) vs throughput (img/s)\n\n| model | a | b |\n|---|---|---|\n| x | 21.5 | 1.5 |\n| y | 22.5 | 3.5 |\n",
        0,
        open=frozenset(("a", "b")),
    ),
    "sizes in the cells of a rate": PeoplesTable(
        "wrk.md",
        "| Framework | Requests/sec | Latency (avg) | Transfer/sec |\n|---|---:|---:|---:|\n"
        "| a | 123,456.78 | 1.25ms | 12.5MB |\n| b | 13,456.75 | 11.5ms | 950KB |\n",
        6,
        (
            ("bandwidth", 12.5e6, {"framework": "a"}),
            ("bandwidth", 950e3, {"framework": "b"}),
            ("request_throughput", 13456.75, {"framework": "b"}),
        ),
    ),
    "times below 0 that are offsets": PeoplesTable(
        "offset.csv",
        "case,Offset (us),delay_ms\na,-1.5,3.5\nb,2.25,-1\nc,-0.25,4.5\n",
        5,
        (("offset_time", -1.5e-6, {"case": "a"}), ("latency", 3.5e-3, {"case": "a"})),
    ),
    "metrics without a usual name whose unit a column states": PeoplesTable(
        "rally.csv",
        "workload,metric,value,unit\nappend,100th percentile latency,95.5,ms\nappend,50th percentile service time,2.5,ms\n"
        "append,Young Gen GC time,0.95,s\nappend,Mean Throughput,1200.5,docs/s\n",
        4,
        (
            ("latency", 0.0955, {"workload": "append", "statistic": "maximum"}),
            ("service_time", 2.5e-3, {"statistic": "median"}),
            ("young_gen_gc_time", 0.95, {"workload": "append"}),
            ("throughput", 1200.5, {"statistic": "mean"}),
        ),
    ),
    "amounts of money after and before their currency": PeoplesTable(
        "hosts.csv",
        "host,cost,price ($/1M tokens),fee\na,0.42 €,$3.5,0.25 €/h\nb,0.57 €,$4.25,0.75 €/h\n",
        6,
        (("cost", 0.57, {"host": "b"}), ("price", 4.25, {"host": "b"}), ("fee", 0.25, {"host": "a"})),
    ),
    "cells that leave out what their unit is per": PeoplesTable(
        "allocs.csv",
        "bench,allocs/op,B/op,energy (J/doc)\na,45 allocs,96 B,1.5 J\nb,1 alloc,12 B,2.5 J\nc,7,24,3.5\n",
        9,
        (
            ("allocs_per_op", 1, {"bench": "b"}),
            ("b_per_op", 96, {"bench": "a"}),
            ("energy_per_document", 2.5, {"bench": "b"}),
        ),
    ),
    "numbers with fractions and a word": PeoplesTable(
        "scores.csv",
        "phone,score,time (ms)\na,12.5 points,45.5\nb,11.75 points,12.5\n",
        4,
        (("score", 11.75, {"phone": "b"}),),
        answers={"score": "points"},
    ),
    "sizes in bytes with thousands separators": PeoplesTable(
        "libs.csv",
        'lib,size,time (ms)\na,"3,253 bytes",45.5\nb,"1,257 bytes",12.5\n',
        2,
        (("latency", 12.5e-3, {"lib": "b", "size": None}),),
        frozenset({"size"}),
    ),
}
