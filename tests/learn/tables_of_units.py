"""Tables whose units are in words, in texts beside them or in a column, each with its values by hand."""

from tests.learn.tables_of_people import PeoplesTable

UNITS = {
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
}
