"""Tables of results as people write them, each with its values by hand.

values  (metric, value in the base unit, factors) of some numbers; `numbers` counts all of them
open    columns that a reader cannot know and that are left out
answers column -> unit, as `--unit` gives them
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PeoplesTable:
    """A file, and its numbers."""

    file: str
    text: str
    numbers: int
    values: tuple[tuple[str, float, Mapping[str, object]], ...] = ()
    open: frozenset[str] = frozenset()
    answers: Mapping[str, str] = field(default_factory=dict)


TABLES = {
    "units in the names of columns": PeoplesTable(
        "bench.csv",
        "model,batch_size,latency_ms,throughput_img_s\nresnet50,32,12.3,2601.6\nresnet50,64,23.1,2770.6\nvgg16,32,30.0,1066.7\n",
        6,
        (
            ("latency", 0.0231, {"model": "resnet50", "batch_size": 64}),
            ("throughput", 1066.7, {"model": "vgg16", "item": "image"}),
        ),
    ),
    "units in parentheses": PeoplesTable(
        "results.csv",
        "GPU,# GPUs,Throughput (images/s),Peak memory (GiB)\nA100,1,2500,10.5\nA100,8,19800,11\nH100,8,31000,11.25\n",
        6,
        (
            ("throughput", 19800, {"device": "A100", "devices": 8}),
            ("memory_used", 11.25 * 2**30, {"device": "H100"}),
        ),
    ),
    "units in a second row": PeoplesTable(
        "two_rows.csv",
        "kernel,size,time,bandwidth\n,,us,GB/s\ncopy,1024,2.5,410\ncopy,4096,4.0,1024\nscale,1024,2.75,372.4\n",
        6,
        (
            ("latency", 2.5e-6, {"kernel": "copy", "size": 1024}),
            ("bandwidth", 372.4e9, {"kernel": "scale", "size": 1024}),
        ),
    ),
    "units in cells": PeoplesTable(
        "cells.csv",
        "model,latency,throughput\nbert,12.5 ms,80 seq/s\ngpt2,1.25 s,0.8 seq/s\nvit,950 us,1052 seq/s\n",
        6,
        (
            ("latency", 1.25, {"model": "gpt2"}),
            ("latency", 0.00095, {"model": "vit"}),
            ("throughput", 1052, {"model": "vit", "item": "sequence"}),
        ),
    ),
    "decimal commas": PeoplesTable(
        "de.csv",
        "Model;Batch Size;Throughput (img/s);Latency (ms)\nresnet;32;1.234,5;12,5\nresnet;64;2.345;13,75\n",
        4,
        (
            ("throughput", 1234.5, {"batch_size": 32}),
            ("throughput", 2345, {"batch_size": 64}),
            ("latency", 0.01375, {"batch_size": 64}),
        ),
    ),
    "thousands separators": PeoplesTable(
        "tokens.csv",
        'model,gpus,tokens_per_second\nllama-7b,1,"3,512.5"\nllama-7b,8,"27,004.0"\nllama-70b,8,"1,204,117.5"\n',
        3,
        (
            ("throughput", 27004, {"devices": 8, "model": "llama-7b", "item": "token"}),
            ("throughput", 1204117.5, {"model": "llama-70b"}),
        ),
    ),
    "blanks between thousands": PeoplesTable(
        "fr.tsv",
        "model\tthroughput (tokens/s)\na\t12 345.5\nb\t1 234 567\n",
        2,
        (("throughput", 12345.5, {"model": "a"}), ("throughput", 1234567, {"model": "b"})),
    ),
    "commas that may be both": PeoplesTable(
        "unclear.csv",
        "model;throughput (img/s)\na;1,234\nb;2,345\n",
        0,
        open=frozenset({"throughput (img/s)"}),
    ),
    "missing values": PeoplesTable(
        "holes.csv",
        "model,batch_size,latency_ms\na,1,1.5\na,2,N/A\na,4,\na,8,-\nb,1,2.5\n",
        2,
        (("latency", 0.0015, {"model": "a", "batch_size": 1}), ("latency", 0.0025, {"model": "b"})),
    ),
    "out of memory in a cell": PeoplesTable(
        "oom.csv",
        "model,batch_size,samples_per_second\nm,16,100.5\nm,32,180\nm,64,OOM\n",
        2,
        (("throughput", 180, {"batch_size": 32}),),
    ),
    "percent": PeoplesTable(
        "percent.csv",
        "model,precision,accuracy (%),GPU util (%),latency_ms\nr,fp32,76.1,98%,5\nr,fp16,76.0,91%,3\n",
        6,
        (
            ("accuracy", 0.761, {"precision": "fp32"}),
            ("utilization", 0.91, {"precision": "fp16"}),
            ("latency", 0.003, {"precision": "fp16"}),
        ),
    ),
    "dates and notes": PeoplesTable(
        "dated.csv",
        "timestamp,host,gpu,step_time_ms,notes\n2024-05-01 10:00:00,n1,V100,105.5,\n2024-05-02 11:30:00,n2,A100,61.25,warm\n",
        2,
        (("step_time", 0.1055, {"device": "V100"}), ("step_time", 0.06125, {"device": "A100"})),
    ),
    "a row of totals": PeoplesTable(
        "totals.csv",
        "task,runtime_s\npreprocess,12.5\ntrain,340\neval,27.5\nTotal,380\n",
        3,
        (("run_time", 340, {"task": "train"}),),
    ),
    "an average below": PeoplesTable(
        "average.md",
        "## Inference\n\n| Model | Latency (ms) | FPS |\n|---|---:|---:|\n| yolo-n | 4.5 | 222 |\n| yolo-s | 6.0 | 167 |\n| **Average** | 5.25 | 194 |\n",
        4,
        (("latency", 0.006, {"model": "yolo-s"}), ("throughput", 222, {"model": "yolo-n", "item": "frame"})),
    ),
    "repeats in a column": PeoplesTable(
        "repeats.csv",
        "config,run,tokens/s\nbase,1,100\nbase,2,102\nfused,1,130\nfused,2,131\n",
        4,
        (("throughput", 102, {"config": "base"}), ("throughput", 131, {"config": "fused"})),
    ),
    "repeats without a number": PeoplesTable(
        "again.csv",
        "framework,images_per_sec\npytorch,1010\npytorch,1012\njax,1100\n",
        3,
        (("throughput", 1012, {"framework": "pytorch"}),),
    ),
    "statistics in names": PeoplesTable(
        "latency.csv",
        "concurrency,mean_latency_ms,latency_p50_ms,p99 latency (ms),latency_std_ms\n1,10.5,10,15,1.5\n8,22.5,21,44,6\n",
        6,
        (
            ("latency", 0.0105, {"concurrency": 1, "statistic": "mean"}),
            ("latency", 0.021, {"concurrency": 8, "statistic": "median"}),
            ("latency", 0.044, {"concurrency": 8, "statistic": "p99"}),
        ),
    ),
    "nested JSON": PeoplesTable(
        "benchmark_results.json",
        '{"gpu": "A100", "torch": "2.3.0", "results": [\n'
        ' {"config": {"model": "bert", "batch_size": 8}, "metrics": {"latency_ms": {"mean": 3.5, "p99": 4.5, "std": 0.2}, "samples_per_sec": 2285.7}},\n'
        ' {"config": {"model": "bert", "batch_size": 16}, "metrics": {"latency_ms": {"mean": 6.5, "p99": 8.0, "std": 0.3}, "samples_per_sec": 2461.5}}]}\n',
        6,
        (
            ("latency", 0.0035, {"model": "bert", "batch_size": 8, "statistic": "mean", "device": "A100"}),
            ("latency", 0.008, {"batch_size": 16, "statistic": "p99"}),
            ("throughput", 2461.5, {"batch_size": 16}),
        ),
    ),
    "JSON with a member for each model": PeoplesTable(
        "models.json",
        '{"resnet50": {"throughput_img_s": 1200.5, "batch_size": 64}, "vgg16": {"throughput_img_s": 410, "batch_size": 64}}',
        2,
        (
            ("throughput", 1200.5, {"model": "resnet50", "batch_size": 64}),
            ("throughput", 410, {"model": "vgg16"}),
        ),
    ),
    "JSON with a member for each batch size": PeoplesTable(
        "sweep.json",
        '{"device": "H100", "sweep": {"bs_1": {"latency_ms": 1.5}, "bs_8": {"latency_ms": 4.5}, "bs_64": {"latency_ms": 20}}}',
        3,
        (("latency", 0.0045, {"batch_size": 8, "device": "H100"}), ("latency", 0.02, {"batch_size": 64})),
    ),
    "JSON of one run": PeoplesTable(
        "result.json",
        '{"model": "gpt2", "config": {"lr": 0.0003, "batch_size": 16}, "train_time_s": 812.5, "tokens_per_second": 54321.5, "final_loss": 3.25}',
        3,
        (
            ("run_time", 812.5, {"model": "gpt2", "batch_size": 16, "lr": 0.0003}),
            ("throughput", 54321.5, {"item": "token"}),
            ("loss", 3.25, {}),
        ),
    ),
    "JSON with values and units": PeoplesTable(
        "units.json",
        '[{"name": "matmul", "time": {"value": 12.5, "unit": "us"}, "flops": {"value": 150, "unit": "TFLOP/s"}},'
        ' {"name": "conv", "time": {"value": 40, "unit": "us"}, "flops": {"value": 90.5, "unit": "TFLOP/s"}}]',
        4,
        (("latency", 12.5e-6, {"case": "matmul"}), ("flops", 90.5e12, {"case": "conv"})),
    ),
    "a column for each device": PeoplesTable(
        "devices.csv",
        "model,V100 (img/s),A100 (img/s),H100 (img/s)\nresnet50,800,2500,4100\nvit,300,1100,2050\n",
        6,
        (
            ("throughput", 2500, {"model": "resnet50", "device": "A100"}),
            ("throughput", 2050, {"model": "vit", "device": "H100"}),
        ),
    ),
    "a column for each model below a caption": PeoplesTable(
        "models.csv",
        "Throughput (images/s)\nbatch_size,resnet50,vgg16,vit_b\n16,900.5,300,410\n32,1500,350,520\n",
        6,
        (
            ("throughput", 900.5, {"batch_size": 16, "model": "resnet50"}),
            ("throughput", 520, {"batch_size": 32, "model": "vit_b"}),
        ),
    ),
    "a column for each model and nothing else": PeoplesTable(
        "bare.csv",
        "batch_size,resnet50,vgg16\n16,900.5,300.25\n32,1500.5,350.5\n",
        0,
        open=frozenset({"resnet50", "vgg16"}),
    ),
    "training and inference": PeoplesTable(
        "modes.csv",
        "model,train_samples_per_sec,infer_samples_per_sec\na,100,300\nb,200,640\n",
        4,
        (
            ("throughput", 100, {"model": "a", "mode": "train"}),
            ("throughput", 640, {"model": "b", "mode": "infer"}),
        ),
    ),
    "one number a row": PeoplesTable(
        "long.csv",
        "model,metric,value,unit\na,latency,5.5,ms\na,throughput,180,samples/s\nb,latency,7.5,ms\nb,throughput,133,samples/s\n",
        4,
        (("latency", 0.0075, {"model": "b"}), ("throughput", 180, {"model": "a"})),
    ),
    "no unit": PeoplesTable(
        "nounit.csv",
        "model,batch_size,latency,tokens/s\na,1,5.5,410\na,8,7.5,2350\n",
        2,
        (("throughput", 2350, {"batch_size": 8}),),
        frozenset({"latency"}),
    ),
    "no unit, answered": PeoplesTable(
        "answered.csv",
        "model,batch_size,latency\na,1,5.5\na,8,7.5\n",
        2,
        (("latency", 0.0075, {"batch_size": 8}),),
        answers={"latency": "ms"},
    ),
    "a preamble of comments": PeoplesTable(
        "comments.csv",
        "# GPU: A100, driver 535\n# date: 2024-02-01\nthreads,time_us,bandwidth_gb_per_s\n1,100.5,10.5\n2,51,20.5\n4,26.5,39\n",
        6,
        (("latency", 51e-6, {"threads": 2}), ("bandwidth", 39e9, {"threads": 4})),
    ),
    "columns of words": PeoplesTable(
        "table.txt",
        "allreduce on 8 GPUs\n  size  time_us  busbw(GB/s)\n  1024     20.5      0.09\n  4096     21.0      0.34\n  1048576  55.25    33.2\n",
        6,
        (("latency", 55.25e-6, {"size": 1048576}), ("bus_bandwidth", 33.2e9, {"size": 1048576})),
    ),
    "values with a spread": PeoplesTable(
        "spread.csv",
        "framework,latency (ms)\npytorch,12.5 ± 0.4\njax,10.25 ± 0.3\n",
        2,
        (("latency", 0.01025, {"framework": "jax"}),),
    ),
    "settings that are not whole": PeoplesTable(
        "rates.csv",
        "request_rate,dropout_p,ttft_ms\n0.5,0.1,30.5\n0.5,0.2,31\n1.5,0.1,44\n1.5,0.2,45.5\n",
        4,
        (("ttft", 0.0455, {"request_rate": 1.5, "dropout_p": 0.2}),),
    ),
    "ratios of other columns": PeoplesTable(
        "speedup.csv",
        "gpus,time_s,speedup,efficiency (%)\n1,100,1.0,100\n2,52,1.92,96\n4,27.5,3.64,91\n",
        3,
        (("run_time", 27.5, {"devices": 4}),),
    ),
    "bits or bytes": PeoplesTable(
        "links.csv",
        "src,dst,bw_gbps,latency_us\nA,B,45.5,1.5\nA,C,22.5,2.5\n",
        2,
        (("latency", 2.5e-6, {"dst": "C"}),),
        frozenset({"bw_gbps"}),
    ),
    "several names of one metric": PeoplesTable(
        "long_names.csv",
        "benchmark,metric,value,unit\nstream,copy,1820.5,GB/s\nstream,triad,1795.25,GB/s\ngemm,fp16,251.5,TFLOPS\n"
        "driver,launch,4.2,us\n",
        4,
        (
            ("bandwidth", 1820.5e9, {"benchmark": "stream", "operation": "copy"}),
            ("bandwidth", 1795.25e9, {"benchmark": "stream", "operation": "triad"}),
            ("flops", 251.5e12, {"benchmark": "gemm", "precision": "fp16"}),
            ("launch", 4.2e-6, {"benchmark": "driver"}),
        ),
    ),
    "ratios written as 1.93x": PeoplesTable(
        "times.csv",
        "gpus,throughput,speedup,vs CPU,gain,H100/A100\n1,1250 img/s,1x,10x,+0 %,1.5x\n2,2410 img/s,1.93x,19x,+93 %,1.6x\n",
        2,
        (("throughput", 2410, {"devices": 2, "speedup": None, "gain": None, "h100_a100": None}),),
    ),
    "sizes with a unit in each cell": PeoplesTable(
        "sizes.csv",
        "size,params,latency\n4KB,1.5B,12.5us\n1MB,7.5B,101us\n16MB,13.5B,1.25ms\n",
        3,
        (("latency", 1.25e-3, {"size": "16MB", "params": "13.5B", "size_kb": None}),),
    ),
    "rates of things without a name": PeoplesTable(
        "rates_of_things.csv",
        "streams,bits_per_second,events_per_second,cost_per_hour\n1,8000000000,120.5,3.5\n4,24000000000,480.5,4.5\n",
        4,
        (("bandwidth", 3e9, {"streams": 4}), ("throughput", 480.5, {"streams": 4, "item": "event"})),
        frozenset({"cost_per_hour"}),
    ),
    "bits per second": PeoplesTable(
        "bits.csv", "streams,Gbits/sec\n1,16.5\n4,40\n", 2, (("bandwidth", 5e9, {"streams": 4}),)
    ),
    "a column for each repeat": PeoplesTable(
        "runs.csv",
        "config,peak_mem_GiB,run1_ms,run2_ms,run3_ms\nbase,1.5,12.5,12.25,12.75\nfused,2,9.5,,10\n",
        7,
        (
            ("latency", 0.01275, {"config": "base", "repeat": None, "run": None}),
            ("latency", 0.01, {"config": "fused", "run": None}),
            ("memory_used", 2 * 2**30, {"config": "fused"}),
        ),
    ),
    "numbers of devices beside a runtime": PeoplesTable(
        "runtimes.csv",
        "model,runtime 1 GPU (s),runtime 8 GPUs (s)\na,100,15\nb,200,30\n",
        4,
        (("run_time", 15, {"model": "a", "devices": 8}),),
    ),
    "out of memory on one of the devices": PeoplesTable(
        "latency.md",
        "## Latency (ms)\n\n| Model | A100 | V100 |\n|---|---|---|\n| bert | 18.5 | 40.5 |\n| gpt | 23.5 | OOM |\n",
        3,
        (("latency", 0.0235, {"model": "gpt", "device": "A100"}),),
    ),
    "a column for each device and precision": PeoplesTable(
        "pairs.md",
        "| Model | A100 fp16 | A100 fp32 | RTX 4090 fp16 |\n|:--|--:|--:|--:|\n"
        "| bert | 18.5 ± 0.1 ms | 45.5 ± 0.3 ms | 40.5 ± 0.8 ms |\n| gpt | 23.5 ± 0.2 ms | OOM | 51.5 ± 1.1 ms |\n",
        5,
        (
            ("latency", 0.0455, {"model": "bert", "device": "A100", "precision": "fp32"}),
            ("latency", 0.0515, {"model": "gpt", "device": "RTX 4090", "precision": "fp16"}),
        ),
    ),
    "German headers": PeoplesTable(
        "deutsch.csv",
        "Modell;Grafikkarte;Batchgröße;Durchsatz (Bilder/s);Zeit pro Schritt (ms)\n"
        "ResNet-50;A100;64;2.512,3;25,5\nResNet-50;A100;128;2.701,9;47,4\n",
        4,
        (
            (
                "throughput",
                2512.3,
                {"model": "ResNet-50", "device": "A100", "batch_size": 64, "item": "image"},
            ),
            ("step_time", 0.0474, {"batch_size": 128}),
        ),
    ),
    "names of devices that end with a word": PeoplesTable(
        "macs.csv",
        "model,M2 (ms),M2 Pro (ms)\na,20,10\nb,40,25\n",
        4,
        (
            ("latency", 0.02, {"model": "a", "device": "M2"}),
            ("latency", 0.025, {"model": "b", "device": "M2 Pro"}),
        ),
    ),
    "the machine beside the results": PeoplesTable(
        "machine.json",
        '{"machine": {"gpu": "A100", "driver": "535.104"}, "results": {'
        '"resnet50": {"bs": 64, "images_per_sec": 2512.5}, "vgg16": {"bs": 64, "images_per_sec": 812.5}}}',
        2,
        (("throughput", 812.5, {"model": "vgg16", "device": "A100", "batch_size": 64}),),
    ),
    "sizes of unknown things in cells": PeoplesTable(
        "cells_of_sizes.csv",
        "model,latency,Puffer\na,1.5 ms,12.5 GB\nb,2.5 ms,20.5 GB\n",
        4,
        (("puffer", 20.5e9, {"model": "b"}),),
    ),
    "rates of several items in one column": PeoplesTable(
        "items.csv",
        "model,metric,value\nresnet50,throughput (img/s),1250.5\nresnet50,latency (ms),51.5\n"
        "bert,throughput (seq/s),410.5\nbert,latency (ms),78.5\n",
        4,
        (
            ("throughput", 1250.5, {"model": "resnet50"}),
            ("sequence_rate", 410.5, {"model": "bert", "item": None}),
            ("latency", 0.0785, {"model": "bert", "item": None}),
        ),
    ),
    "status in a column": PeoplesTable(
        "status.csv",
        "model,status,time_s\na,ok,10.5\nb,failed,0\nc,ok,12.5\n",
        2,
        (("run_time", 12.5, {"model": "c"}),),
    ),
    "first token and speed in cells": PeoplesTable(
        "cells.csv",
        "backend,first token,decode speed,peak memory\nmetal,412 ms,31.2 tok/s,5.1 GB\nmlx,1.02 s,34.9 tok/s,5.3 GB\n",
        6,
        (
            ("ttft", 1.02, {"backend": "mlx"}),
            ("output_token_throughput", 31.2, {"backend": "metal"}),
            ("memory_used", 5.3e9, {"backend": "mlx"}),
        ),
    ),
    "operations of a database": PeoplesTable(
        "ycsb.csv",
        'Nodes,Throughput (ops/sec),99th percentile (us)\n1,"45,210","2,104"\n3,"118,905","2,377"\n',
        4,
        (
            ("throughput", 118905, {"nodes": 3, "item": "operation"}),
            ("latency", 2104e-6, {"statistic": "p99"}),
        ),
    ),
    "German epochs and watts": PeoplesTable(
        "messung.csv",
        "GPU;Präzision;Epochenzeit (s);Bilder/s;Leistung (W)\nRTX 3090;fp32;184,2;271,4;341\nRTX 3090;fp16;97,85;511,0;338\n",
        6,
        (
            ("epoch_time", 97.85, {"device": "RTX 3090", "precision": "fp16", "variant": None}),
            ("power", 338, {"precision": "fp16", "variant": None, "item": "image"}),
        ),
    ),
    "two rows of totals": PeoplesTable(
        "stages.csv",
        "Stage,CPU (s),GPU (s)\ntokenize,41.2,12.9\nembed,310.8,21.4\nTOTAL,352,34.3\nAVG,176,17.15\n",
        4,
        (("run_time", 21.4, {"stage": "embed", "device": "GPU"}),),
    ),
    "bold cells, links and arrows": PeoplesTable(
        "readme.md",
        "| Method | Acc@1 | Latency (ms) ↓ | Throughput (im/s) ↑ |\n|:-:|-:|-:|-:|\n"
        "| [Swin-T](https://example.org/swin) | 81.3 | 12.6 | 755 |\n| **Ours** | **82.1** | **8.7** | **1,011** |\n",
        6,
        (
            ("latency", 0.0126, {"method": "Swin-T"}),
            ("throughput", 1011, {"method": "Ours", "item": "image"}),
            ("accuracy", 0.821, {"method": "Ours"}),
        ),
    ),
    "LaTeX": PeoplesTable(
        "table.tex",
        "\\begin{tabular}{lrr}\n\\toprule\nBackend & Threads & Time [ms] & Bandwidth [GB/s] \\\\\n\\midrule\n"
        "OpenMP & 16 & $12.41 \\pm 0.05$ & 154.7 \\\\\nCUDA & -- & $\\mathbf{1.92} \\pm 0.01$ & \\textbf{1000.2} \\\\\n"
        "\\bottomrule\n\\end{tabular}\n",
        4,
        (("latency", 0.00192, {"backend": "CUDA"}), ("bandwidth", 154.7e9, {"threads": 16})),
    ),
    "a row for each metric": PeoplesTable(
        "sheet.csv",
        "metric,RTX 3060,A6000\nprefill (tok/s),1310,3055\ndecode (tok/s),41.2,72.3\nVRAM used (GiB),7.9,8.1\n",
        6,
        (
            ("input_token_throughput", 3055, {"device": "A6000"}),
            ("memory_used", 7.9 * 2**30, {"device": "RTX 3060"}),
        ),
    ),
    "exponents": PeoplesTable(
        "flops.csv",
        "threads,GFLOP/s,elapsed [s]\n1,3.21e+01,6.2e-02\n16,4.87E+02,4.1E+00\n",
        4,
        (("flops", 487e9, {"threads": 16}), ("run_time", 0.062, {"threads": 1})),
    ),
    "a column for each batch size": PeoplesTable(
        "wide.csv",
        "model (img/s),bs=1,bs=32\nresnet50,310,1905\nvit_b16,180,980\n",
        4,
        (("throughput", 1905, {"model": "resnet50", "batch_size": 32}),),
    ),
    "hours, minutes and seconds": PeoplesTable(
        "epochs.csv",
        "GPU,# GPUs,time per epoch,total time\nV100,1,12:41,2:06:50\nV100,4,3:29,34:50\n",
        2,
        (("run_time", 7610, {"devices": 1}), ("run_time", 2090, {"devices": 4})),
        frozenset({"time per epoch"}),
    ),
    "a time with one colon among hours": PeoplesTable(
        "jobs.csv",
        "model,training time (h)\na,1.5\nb,2.25\nc,2:06\nd,3.1\n",
        3,
        (("run_time", 8100, {"model": "b"}),),
    ),
    "a repeated header": PeoplesTable(
        "twice.csv",
        "model,Latency (ms),Latency (ms),power (W)\na,1.5,2,250.5\nb,2.25,3,251\n",
        2,
        (("power", 251, {"model": "b"}),),
        frozenset({"Latency (ms)", "Latency (ms).2"}),
    ),
    "minutes and seconds, answered": PeoplesTable(
        "epochs.csv",
        "GPU,# GPUs,time per epoch\nV100,1,12:41\nV100,4,3:29\n",
        2,
        (("epoch_time", 761, {"devices": 1}),),
        answers={"time per epoch": "mm:ss"},
    ),
    "hours and minutes, answered": PeoplesTable(
        "train.csv",
        "GPU,train time\nV100,12:41\nA100,3:29\n",
        2,
        (("run_time", 12 * 3600 + 41 * 60, {"device": "V100"}),),
        answers={"train time": "h:mm"},
    ),
    "hours and minutes in words": PeoplesTable(
        "jobs.csv",
        "model,gpus,train time,final loss\ngpt2-medium,8,1h 12m 30s,3.05\ngpt2-xl,16,3h 02m 55s,2.78\n",
        4,
        (("run_time", 4350, {"devices": 8}), ("loss", 2.78, {"model": "gpt2-xl"})),
    ),
    "times of day": PeoplesTable(
        "readings.csv", "time,power (W)\n12:41:05,250.5\n12:41:06,251\n", 2, open=frozenset({"time"})
    ),
    "a header of two lines": PeoplesTable(
        "agg.csv",
        ",throughput_img_s,throughput_img_s,latency_ms,latency_ms\n,mean,std,mean,p95\nbs1,34.1,0.4,29.3,31.0\nbs8,201.7,3.1,39.6,44.8\n",
        6,
        (("throughput", 34.1, {"statistic": "mean"}), ("latency", 0.0448, {"statistic": "p95"})),
    ),
    "a header of two lines without a metric": PeoplesTable(
        "two.csv",
        "GPU,ResNet-50,,BERT,\n,fp32,amp,fp32,amp\nT4,112,305,21,66\nV100,371,1180,58,201\n",
        0,
        open=frozenset({"ResNet-50 fp32", "BERT amp"}),
    ),
    "thousands and millions of tokens": PeoplesTable(
        "speed.md",
        "| Setup | Throughput (tok/s) | GPU hours |\n|---|---|---|\n| DDP | 181k | 40.2 |\n| FSDP | 0.71M | 18.9 |\n",
        2,
        (("throughput", 710000, {"setup": "FSDP", "gpu_hours": None}),),
    ),
    "JSON with a list for each model": PeoplesTable(
        "all.json",
        '{"resnet50": [{"bs": 1, "fps": 210.2}, {"bs": 16, "fps": 1402.9}], "yolov5s": [{"bs": 1, "fps": 155.0}, {"bs": 16, "fps": 640.4}]}',
        4,
        (("throughput", 640.4, {"model": "yolov5s", "batch_size": 16}),),
    ),
    "JSON with members of members": PeoplesTable(
        "grid.json",
        '{"meta": {"gpu": "L40S"}, "llama-8b": {"tp1": {"ttft_ms": 41.0}, "tp2": {"ttft_ms": 30.1}},'
        ' "llama-70b": {"tp4": {"ttft_ms": 181.5}, "tp8": {"ttft_ms": 120.9}}}',
        4,
        (("ttft", 0.1209, {"model": "llama-70b", "tensor_parallel": 8, "device": "L40S"}),),
    ),
    "a column for each iteration": PeoplesTable(
        "iters.csv",
        "kernel,iter_1 (us),iter_2 (us),avg (us)\nsoftmax,21.1,20.8,20.95\nlayernorm,14.0,13.7,13.85\n",
        6,
        (
            ("latency", 21.1e-6, {"kernel": "softmax", "variant": None}),
            ("latency", 13.85e-6, {"kernel": "layernorm", "statistic": "mean"}),
        ),
    ),
    "modes with a unit, and Celsius": PeoplesTable(
        "jetson.csv",
        "device,power mode,FPS,temp (C),power draw (W)\nOrin,MAXN,91.2,61.5,18.2\nOrin,15W,58.4,52.0,12.9\nNano,10W,14.7,58.1,8.8\n",
        9,
        (("throughput", 58.4, {"power_mode": "15W"}), ("temperature", 61.5, {"power_mode": "MAXN"})),
    ),
    "a length of the input that is a time": PeoplesTable(
        "speech.csv",
        "model,beam,wall_s,audio_s\nwhisper-small,5,12.3,300\nwhisper-medium,5,30.6,300\n",
        2,
        (("run_time", 30.6, {"model": "whisper-medium", "audio_s": 300}),),
    ),
    "before and after": PeoplesTable(
        "pr.md",
        "| Benchmark | main | this PR | change |\n|---|---:|---:|---:|\n| encode | 1.82 ms | 1.41 ms | -22.5% |\n| decode | 402 µs | 405 µs | +0.7% |\n",
        4,
        (("latency", 0.00141, {"benchmark": "encode", "variant": "this PR"}),),
    ),
    "a bandwidth that is called as a batch size": PeoplesTable(
        "stream.csv",
        "kernel,GBs,time_us\ncopy,410.5,2.5\nscale,372.4,2.75\n",
        4,
        (
            ("latency", 2.5e-6, {"kernel": "copy", "global_batch_size": None}),
            ("bandwidth", 372.4e9, {"kernel": "scale"}),
        ),
    ),
    "words beside the metric of one column": PeoplesTable(
        "bw.csv",
        "kernel,time_us,bw_GBs (GB/s)\ncopy,2.5,410.5\nscale,2.75,372.4\n",
        4,
        (("bandwidth", 410.5e9, {"kernel": "copy", "variant": None}),),
    ),
    "the mode of all figures": PeoplesTable(
        "mode.csv",
        "model,train_samples_per_sec,step_ms\na,100,300\nb,200,640\n",
        4,
        (("throughput", 100, {"mode": "train"}), ("step_time", 0.3, {"mode": "train"})),
    ),
    "comments between rows": PeoplesTable(
        "sweep.csv",
        "workers,prefetch,samples_per_sec\n# warm cache\n4,2,841.5\n# cold cache\n8,4,902.3\n",
        2,
        (("throughput", 902.3, {"workers": 8, "prefetch": 4}),),
    ),
    "a total around the rows": PeoplesTable(
        "suite.json",
        '{"results": {"nccl": {"metric_name": "bus_bandwidth", "metric_value": 442.21, "metric_unit": "GB/s", "details": {"world_size": 8,'
        ' "by_size": [{"size_mb": 1, "bandwidth_gbps": 41.95, "latency_ms": 0.044}, {"size_mb": 10, "bandwidth_gbps": 203.94, "latency_ms": 0.09}]}}}}',
        2,
        (("latency", 0.00009, {"size_mb": 10, "devices": 8}),),
        frozenset({"bandwidth_gbps"}),
    ),
    "numbers of failed runs": PeoplesTable(
        "summary.csv",
        "model,error_runs,p95_latency_ms,latency_error_ms\na,0,296.4,1.5\nb,1,310.5,2.5\n",
        2,
        (("latency", 0.3105, {"model": "b", "statistic": "p95"}),),
        frozenset({"error_runs"}),
    ),
    "requests of one load": PeoplesTable(
        "requests.jsonl",
        '{"request_id": 0, "latency_sec": 0.952, "status": "success"}\n{"request_id": 1, "latency_sec": 1.093, "status": "success"}\n',
        2,
        (("latency", 1.093, {"request_id": None}),),
    ),
    "a mean below repeats": PeoplesTable(
        "seeds.csv",
        "seed,val_loss,tokens_per_sec\n1,3.28,181000\n2,3.27,180200\n3,3.29,181900\nmean,3.28,181033\n",
        6,
        (("throughput", 180200, {"seed": None, "item": "token"}),),
    ),
    "rates a minute, and counts that are open": PeoplesTable(
        "load.csv",
        "users,rpm,tokens/min,avg_latency (s)\n10,120,48000,1.2\n50,510,204000,2.9\n",
        4,
        (("throughput", 3400, {"users": 50, "item": "token"}), ("latency", 1.2, {"users": 10, "rpm": None})),
        frozenset({"rpm"}),
    ),
    "runtimes that are programs": PeoplesTable(
        "start.csv",
        "runtime,warm start (ms),rps\nnode,12,1450\ngo,3,9800\n",
        4,
        (("request_throughput", 9800, {"runtime": "go"}),),
    ),
    "names with the group of a logger": PeoplesTable(
        "summary.json",
        '{"model": "a", "train/tokens_per_second": 10240.5, "train/step_time_ms": 412.5, "img/s": 5.5}',
        3,
        (
            ("token_throughput", 10240.5, {"model": "a", "mode": "train"}),
            ("step_time", 0.4125, {"mode": "train"}),
            ("throughput", 5.5, {"item": "image"}),
        ),
    ),
    "a unit that the program does not know": PeoplesTable(
        "md.csv",
        "system,gpus,performance (ns/day)\nstmv,1,45.5\nstmv,4,120.25 ns/day\n",
        2,
        (
            ("performance", 45.5, {"system": "stmv", "devices": 1}),
            ("performance", 120.25, {"system": "stmv", "devices": 4}),
        ),
        answers={"performance (ns/day)": "ns/day"},
    ),
    "columns of cases in a unit of their own": PeoplesTable(
        "scores.csv",
        "test,A100,H100\nfluid,12.5,20.25\nbones,33.5,41.75\n",
        4,
        (("points", 20.25, {"test": "fluid", "device": "H100"}), ("points", 33.5, {"device": "A100"})),
        answers={"A100": "points", "H100": "points"},
    ),
    "a rate of items that have no other name, and a count": PeoplesTable(
        "db.csv",
        "engine,tx,locks held,latency\npg,1210.5,17,3.5\nmy,1010.25,12,4.25\n",
        6,
        (
            ("throughput", 1210.5, {"engine": "pg", "item": "transaction"}),
            ("locks_held", 12, {"engine": "my"}),
            ("latency_in_cycles", 4.25, {"engine": "my"}),
        ),
        answers={"tx": "transactions/s", "locks held": "1", "latency": "cycles"},
    ),
    "sizes in octets that an answer explains": PeoplesTable(
        "octets.csv",
        "modele,memory (GB),taille (Mo)\nbert,12.5,1340\ngpt,23.25,2500\n",
        4,
        (("memory_used", 12.5e9, {"modele": "bert"}), ("taille", 2.5e9, {"modele": "gpt"})),
        answers={"memory (GB)": "GB", "taille (Mo)": "Mo"},
    ),
    "times with names of their own": PeoplesTable(
        "compile.csv",
        "model,compile time (s),tokenize_ms\nbert,12.5,80\ngpt,23.25,43\n",
        4,
        (("compile_time", 23.25, {"model": "gpt"}), ("tokenize_time", 0.08, {"model": "bert"})),
    ),
    "narrow blanks, apostrophes and underscores between thousands": PeoplesTable(
        "narrow.csv",
        "model;throughput (tokens/s)\na;12\u202f345\nb;1\u2009234\u202f567\nc;2'345'678\nd;9\u2019876\ne;1_024\n",
        5,
        (
            ("throughput", 12345, {"model": "a"}),
            ("throughput", 1234567, {"model": "b"}),
            ("throughput", 2345678, {"model": "c"}),
            ("throughput", 9876, {"model": "d"}),
            ("throughput", 1024, {"model": "e"}),
        ),
    ),
    "decimal commas with spreads": PeoplesTable(
        "streuung.csv",
        "Modell;Zeit (ms);Durchsatz (img/s)\na;12,3 ± 0,4;1.234,5 ± 12\nb;13,25 ± 1,1;12\u202f345,5 ± 9\n",
        4,
        (
            ("latency", 0.0123, {"model": "a"}),
            ("throughput", 1234.5, {"model": "a"}),
            ("throughput", 12345.5, {"model": "b"}),
        ),
    ),
    "spreads in another unit than their values": PeoplesTable(
        "timeit.md",
        "| model | mean time |\n|---|---|\n| a | 12.3 ms ± 401 µs |\n| b | 1.25 s ± 20 ms |\n| c | 950 us +- 4.5 us |\n",
        3,
        (
            ("latency", 0.0123, {"model": "a"}),
            ("latency", 1.25, {"model": "b"}),
            ("latency", 0.00095, {"model": "c"}),
        ),
    ),
    "spreads and thin spaces in LaTeX": PeoplesTable(
        "spread.tex",
        "\\begin{tabular}{lrr}\n\\toprule\nModel & Step time (ms) & Throughput (images/s) \\\\\n\\midrule\n"
        "ResNet & $12.3 \\pm 0.4$ & $2\\,601 \\pm 12$ \\\\\n"
        "VGG & $45.25_{\\pm 0.5}$ & 707 {\\scriptsize $\\pm$ 3} \\\\\n"
        "ViT & $\\mathbf{30.0}\\,{\\pm}\\,1.1$ & 12{,}707 \\textpm\\ 3 \\\\\n\\bottomrule\n\\end{tabular}\n",
        6,
        (
            ("step_time", 0.0123, {"model": "ResNet"}),
            ("throughput", 2601, {"model": "ResNet"}),
            ("step_time", 0.04525, {"model": "VGG"}),
            ("throughput", 707, {"model": "VGG"}),
            ("step_time", 0.03, {"model": "ViT"}),
            ("throughput", 12707, {"model": "ViT"}),
        ),
    ),
    "a comparison that a program prints": PeoplesTable(
        "compare.txt",
        "Running 2 benchmarks...\n\nBenchmark        Before     After   Change\n"
        "----------------------------------------\n"
        "matmul_4096    12.31 ms   9.87 ms   -19.8%\nsoftmax          881 us    612 us   -30.5%\n",
        4,
        (
            ("latency", 0.01231, {"benchmark": "matmul_4096", "variant": "Before"}),
            ("latency", 0.000612, {"benchmark": "softmax", "variant": "After"}),
        ),
    ),
    "a frame of pandas with two indices": PeoplesTable(
        "frame.txt",
        "                latency_ms  tokens/s\nmodel    batch                      \n"
        "bert     1            1.25     800.0\n         8            5.50    1454.5\n"
        "llama-7b 1           20.00      50.0\n\n[3 rows x 2 columns]\n",
        6,
        (
            ("latency", 0.0055, {"model": "bert", "batch_size": 8}),
            ("throughput", 50, {"model": "llama-7b", "batch_size": 1, "item": "token"}),
        ),
    ),
    "a grid whose header has two lines": PeoplesTable(
        "grid.txt",
        "Allreduce\n+----------+---------+---------+\n|   size   |  time   |  busbw  |\n|   (B)    |  (us)   | (GB/s)  |\n"
        "+==========+=========+=========+\n| 1048576  |   35.5  |   51.7  |\n+----------+---------+---------+\n"
        "| 16777216 |  180.25 |  162.9  |\n+----------+---------+---------+\n",
        4,
        (("latency", 180.25e-6, {"size": 16777216}), ("bus_bandwidth", 51.7e9, {"size": 1048576})),
    ),
    "two printed tables with one header": PeoplesTable(
        "passes.txt",
        "Forward pass:\n  batch   time (ms)\n      8        12.5\n     16        24.0\n\n"
        "Backward pass:\n  batch   time (ms)\n      8        25.5\n     16        48.0\n",
        4,
        (
            ("latency", 0.0125, {"batch_size": 8, "pass": "Forward"}),
            ("latency", 0.048, {"batch_size": 16, "pass": "Backward"}),
        ),
    ),
    "two tables of Markdown whose headings state the metric": PeoplesTable(
        "passes.md",
        "## Forward pass (ms)\n\n| batch | A100 | H100 |\n|---|---|---|\n| 8 | 12.5 | 8.25 |\n\n"
        "## Backward pass (ms)\n\n| batch | A100 | H100 |\n|---|---|---|\n| 8 | 25.5 | 16.25 |\n",
        4,
        (
            ("latency", 0.0125, {"pass": "Forward", "device": "A100"}),
            ("latency", 0.01625, {"pass": "Backward", "device": "H100"}),
        ),
        answers={"A100": "ms", "H100": "ms"},
    ),
    "tables of one header without titles": PeoplesTable(
        "again.md",
        "| model | ms/step |\n|---|---|\n| a | 12.5 |\n\n| model | ms/step |\n|---|---|\n| a | 10.5 |\n",
        2,
        (("step_time", 0.0125, {"table": "table 1"}), ("step_time", 0.0105, {"table": "table 2"})),
    ),
    "a limit in the line above": PeoplesTable(
        "limit.md",
        "Timeout: 30 minutes per epoch\n\n| kernel | A100 | H100 |\n|---|---|---|\n| copy | 12.5 | 8.25 |\n",
        0,
        open=frozenset({"A100", "H100"}),
    ),
    "a limit in a comment": PeoplesTable(
        "limit.csv",
        "# Step time limit 5 minutes\nkernel,A100,H100\ncopy,12.5,8.25\n",
        0,
        open=frozenset({"A100", "H100"}),
    ),
    "printed columns of cases": PeoplesTable(
        "turned.txt",
        "metric                 A100     H100\n------------------------------------\n"
        "latency (ms)           12.5     8.25\nthroughput (img/s)      640      969\n",
        4,
        (("latency", 0.0125, {"device": "A100"}), ("throughput", 969, {"device": "H100", "item": "image"})),
    ),
    "two tables of CSV with one header": PeoplesTable(
        "passes.csv",
        "Forward\nbatch,time (ms)\n8,12.5\n16,24.0\n\nBackward\nbatch,time (ms)\n8,25.5\n16,48.0\n",
        4,
        (
            ("latency", 0.0125, {"batch_size": 8, "pass": "Forward"}),
            ("latency", 0.048, {"batch_size": 16, "pass": "Backward"}),
        ),
    ),
    "rows that were added with their header": PeoplesTable(
        "added.csv",
        "batch,time (ms)\n8,12.5\nbatch,time (ms)\n8,12.75\n",
        2,
        (("latency", 0.0125, {"batch_size": 8}), ("latency", 0.01275, {"batch_size": 8})),
    ),
    "another table below a table": PeoplesTable(
        "two.csv",
        "batch,time (ms)\n8,12.5\n16,24.0\n\nmodel,tokens/s\nbert,5210\n",
        2,
        (("latency", 0.0125, {"batch_size": 8}), ("latency", 0.024, {"batch_size": 16})),
    ),
    "the unit of the times in a key": PeoplesTable(
        "unit.json",
        '{"time_unit": "us", "rows": [{"kernel": "copy", "time": 12.5}, {"kernel": "add", "time": 8.25}]}',
        2,
        (("latency", 12.5e-6, {"kernel": "copy"}), ("latency", 8.25e-6, {"kernel": "add"})),
    ),
    "bars between rules of dashes": PeoplesTable(
        "bars.txt",
        "  Warming up... ok\n  --------------------------------\n  | stage | count | avg time (ms) |\n"
        "  --------------------------------\n  | load  |    10 |         12.05 |\n  | infer |    20 |         183.0 |\n"
        "  --------------------------------\n  done\n",
        2,
        (("latency", 0.01205, {"stage": "load", "count": 10}), ("latency", 0.183, {"stage": "infer"})),
    ),
    "a grid with cells above several columns": PeoplesTable(
        "spans.txt",
        "+-------+---------------------+---------------------+\n|       |        A100         |        H100         |\n"
        "+ model +----------+----------+----------+----------+\n|       | lat (ms) |  tok/s   | lat (ms) |  tok/s   |\n"
        "+=======+==========+==========+==========+==========+\n| bert  |  12.5    |   80     |  8.25    |  121     |\n"
        "+-------+----------+----------+----------+----------+\n| gpt   |  23.0    |   43     |  15.5    |  64      |\n"
        "+-------+----------+----------+----------+----------+\n",
        8,
        (
            ("latency", 0.0125, {"model": "bert", "device": "A100"}),
            ("throughput", 121, {"model": "bert", "device": "H100"}),
        ),
    ),
    "a unit of limits in a sentence": PeoplesTable(
        "limits.md",
        "Runs were limited to one hour; limits are in minutes.\n\n| kernel | time |\n|---|---|\n| copy | 12.5 |\n",
        0,
        open=frozenset({"time"}),
    ),
    "a unit of limits in a comment": PeoplesTable(
        "limits.csv", "# wall time limit in hours\nkernel,time\ncopy,12.5\n", 0, open=frozenset({"time"})
    ),
    "a command of LaTeX for a mean and its spread": PeoplesTable(
        "macro.tex",
        "\\newcommand{\\res}[2]{$#1 \\pm #2$}\n\\begin{tabular}{lcc}\n"
        "Method & Latency (ms) & Throughput (tok/s) \\\\ \\hline\n"
        "Baseline & \\res{12.3}{0.4} & \\res{1200}{15} \\\\\nOurs & \\textbf{\\res{9.1}{0.2}} & 1650 \\\\ \\hline\n"
        "\\end{tabular}\n",
        4,
        (
            ("latency", 0.0091, {"method": "Ours"}),
            ("throughput", 1200, {"method": "Baseline", "item": "token"}),
        ),
    ),
    "a row of units with the unit of a factor": PeoplesTable(
        "sizes.csv",
        "kernel,size,time\n,KiB,us\ncopy,64,12.5\ncopy,128,20.25\n",
        2,
        (
            ("latency", 12.5e-6, {"size": 64, "size_unit": "KiB"}),
            ("latency", 20.25e-6, {"size": 128, "size_unit": "KiB"}),
        ),
    ),
    "another table whose header begins as the first": PeoplesTable(
        "begin.csv",
        "batch,time (ms),note\n8,12.5,x\n16,24.0,y\n\nbatch,time (ms)\n8,25.5\n",
        2,
        (("latency", 0.0125, {"batch_size": 8}), ("latency", 0.024, {"batch_size": 16})),
    ),
}
