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
}
