"""Tables with multiples of a unit in names, in cells and in texts, each with its values by hand."""

from tests.learn.tables_of_people import PeoplesTable

MULTIPLES = {
    "elements with several prefixes in one column": PeoplesTable(
        "queues.md",
        "| Call | Throughput |\n|--|--|\n| push | 812.5 Kelem/s |\n| pop | 1.25 Melem/s |\n| peek | 912.5 Kelem/s |\n",
        3,
        (
            ("throughput", 812500.0, {"call": "push", "item": "elem"}),
            ("throughput", 1.25e6, {"call": "pop", "item": "elem"}),
        ),
    ),
    "a letter beside a unit in brackets": PeoplesTable(
        "tokenizers.csv",
        'lib,"speed (tokens/s, M)",keys/s [k]\na,12.5,2.5\nb,13.25,3.5\n',
        4,
        (("token_throughput", 12.5e6, {"lib": "a"}), ("throughput", 3500, {"lib": "b"})),
    ),
    "powers of ten of a rate and of a time": PeoplesTable(
        "scans.csv",
        "db,rows/s (x10^9),10^12 B/s,Latency (×10⁻³ s)\na,12.5,1.5,4.5\nb,13.25,2.5,5.5\n",
        6,
        (
            ("throughput", 13.25e9, {"db": "b"}),
            ("bandwidth", 1.5e12, {"db": "a"}),
            ("latency", 5.5e-3, {"db": "b"}),
        ),
    ),
    "thousands with a sign, and after the unit": PeoplesTable(
        "queues.md",
        "| queue | Throughput (x1000 msg/s) | delay (10^3 us) | bytes/s ×10⁶ |\n|---|---|---|---|\n"
        "| a | 12.5 | 1.5 | 3.5 |\n| b | 13.25 | 2.5 | 4.5 |\n",
        6,
        (
            ("latency", 2.5e-3, {"queue": "b"}),
            ("throughput", 12500, {"queue": "a"}),
            ("bandwidth", 3.5e6, {"queue": "a"}),
        ),
    ),
    "numbers in brackets that may be cases": PeoplesTable(
        "loads.csv",
        "server,req/s (1000),p99 (1000 req/s),time (ms)\na,12.5,1.5,3.5\nb,13.25,2.5,4.5\n",
        2,
        (("latency", 3.5e-3, {"server": "a"}),),
        frozenset({"req/s (1000)", "p99 (1000 req/s)"}),
    ),
    "numbers in brackets that are cases, as answers say": PeoplesTable(
        "loads.csv",
        "server,req/s (1000),p99 (1000 req/s)\na,12.5,1.5\nb,13.25,2.5\n",
        4,
        (
            ("request_throughput", 12.5, {"server": "a"}),
            ("latency", 2.5e-3, {"server": "b", "statistic": "p99"}),
        ),
        answers={"req/s (1000)": "req/s", "p99 (1000 req/s)": "ms"},
    ),
    "powers of ten in brackets that may be cases": PeoplesTable(
        "sorts.csv",
        "lib,time_s (1e3),ops/s (10^6),inserts/s (10⁴),scans/s (x10^4)\na,0.015,4200,5.5,2.5\nb,0.025,4300,6.5,3.5\n",
        2,
        (("throughput", 25000, {"lib": "a"}),),
        frozenset({"time_s (1e3)", "ops/s (10^6)", "inserts/s (10⁴)"}),
    ),
    "powers of ten in brackets that are cases, as answers say": PeoplesTable(
        "sorts.csv",
        "lib,time_s (1e3),ops/s (10^6)\na,0.015,4200\nb,0.025,4300\n",
        4,
        (("run_time", 0.015, {"lib": "a"}), ("throughput", 4300, {"lib": "b"})),
        answers={"time_s (1e3)": "s", "ops/s (10^6)": "ops/s"},
    ),
    "shapes at the end of names": PeoplesTable(
        "products.csv",
        "lib,Time (s) 100 x 100,Time (s) 1000 x 1000\na,1.5,2.5\nb,1.75,3.5\n",
        4,
        (("100_x_100_time", 1.5, {"lib": "a"}), ("1000_x_1000_time", 3.5, {"lib": "b"})),
    ),
    "a multiple at the end that is not known": PeoplesTable(
        "loads.csv",
        "server,req/s x10000,time (ms)\na,5.5,3.5\nb,6.5,4.5\n",
        2,
        (("latency", 3.5e-3, {"server": "a"}),),
        frozenset({"req/s x10000"}),
    ),
    "a case B beside a unit": PeoplesTable(
        "models.csv",
        'lib,"throughput (tok/s, A)","throughput (tok/s, B)"\na,305.5,3\nb,306.5,4\n',
        4,
        (("throughput_tok_s_a", 305.5, {"lib": "a"}), ("throughput_tok_s_b", 4, {"lib": "b"})),
    ),
    "thousands in cells of rates per minute": PeoplesTable(
        "servers.csv",
        "server,req/min\na,1.2k\nb,2.4k\n",
        2,
        (("request_throughput", 20, {"server": "a"}), ("request_throughput", 40, {"server": "b"})),
    ),
    "thousands in cells below thousands per minute": PeoplesTable(
        "servers.csv",
        "server,kreq/min\na,1.2k\nb,2.4k\n",
        2,
        (("request_throughput", 20, {"server": "a"}),),
        answers={"kreq/min": "kreq/min"},
    ),
    "millions in a caption": PeoplesTable(
        "batches.md",
        "Throughput in million tokens per second\n\n| model | bs 1 | bs 8 |\n|---|---|---|\n| a | 1.25 | 2.5 |\n| b | 1.5 | 2.75 |\n",
        4,
        (("throughput", 2.75e6, {"model": "b", "batch_size": 8}),),
    ),
    "a multiple in the name and in the cells": PeoplesTable(
        "servers.csv",
        "server,ktok/s,time (ms)\na,1.2k,3.5\nb,27M,4.5\n",
        2,
        (("latency", 3.5e-3, {"server": "a"}),),
        frozenset({"ktok/s"}),
    ),
    "a multiple in the name and in some of the cells, which an answer reads": PeoplesTable(
        "servers.csv",
        "server,ktok/s,time (ms)\na,1.2k,3.5\nb,2.75,4.5\n",
        4,
        (("throughput", 1200, {"server": "a"}), ("throughput", 2750, {"server": "b"})),
        answers={"ktok/s": "ktok/s"},
    ),
    "two multiples in a name": PeoplesTable(
        "links.csv",
        "link,GB/s (x1000),time (ms)\na,1.2,3.5\nb,2.7,4.5\n",
        2,
        (("latency", 3.5e-3, {"link": "a"}),),
        frozenset({"GB/s (x1000)"}),
    ),
    "two multiples in a name, and what an answer makes of them": PeoplesTable(
        "links.csv",
        "link,GB/s (x1000),time (ms)\na,1.2,3.5\nb,2.7,4.5\n",
        4,
        (("bandwidth", 1.2e9, {"link": "a"}),),
        answers={"GB/s (x1000)": "GB/s"},
    ),
    "multiples of names without units, whose units are answers": PeoplesTable(
        "brokers.csv",
        "broker,throughput (k),rate (M/s),requests in thousands,sent_millions_per_s\na,1.25,2.5,3.5,4.5\nb,1.5,2.75,4.5,5.25\n",
        8,
        (
            ("token_throughput", 1250, {"broker": "a"}),
            ("throughput", 2.75e6, {"broker": "b"}),
            ("requests", 4500, {"broker": "b"}),
            ("bandwidth", 4.5e6, {"broker": "a"}),
        ),
        answers={
            "throughput (k)": "tokens/s",
            "rate (M/s)": "messages/s",
            "requests in thousands": "1",
            "sent_millions_per_s": "B/s",
        },
    ),
    "letters that name something else than a multiple": PeoplesTable(
        "nets.csv",
        "net,disk size (B),mAP50(B),mAP50(M),time (ms)\na,12.5,0.5,0.25,3.5\nb,13.5,0.75,0.5,4.5\n",
        4,
        (("disk_size", 12.5, {"model": "a"}), ("latency", 3.5e-3, {"model": "a"})),
        frozenset({"mAP50(B)", "mAP50(M)"}),
    ),
    "a text that says a multiple of rates that have a unit": PeoplesTable(
        "stores.md",
        "All values are in thousands.\n\n| store | req/s | p99 (ms) |\n|---|---|---|\n| a | 1.25 | 3.5 |\n| b | 1.5 | 4.5 |\n",
        2,
        (("latency", 3.5e-3, {"store": "a"}),),
        frozenset({"req/s"}),
    ),
    "a text that says a multiple of rates, and the answer": PeoplesTable(
        "stores.md",
        "All values are in thousands.\n\n| store | req/s | p99 (ms) |\n|---|---|---|\n| a | 1.25 | 3.5 |\n| b | 1.5 | 4.5 |\n",
        4,
        (("request_throughput", 1250, {"store": "a"}),),
        answers={"req/s": "krequests/s"},
    ),
}
