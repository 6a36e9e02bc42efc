"""Tables in which a column has one number in all rows, or in many: a result, a setting, or a question."""

from tests.learn.tables_of_people import PeoplesTable

CONSTANTS = {
    "a share of results that is the same in all rows": PeoplesTable(
        "cache.csv",
        "config,latency_ms,hit rate (%),success_pct\na,12.5,100,99.5\nb,14.5,100,99.5\n",
        6,
        (("hit_rate", 1.0, {"config": "b"}), ("success", 0.995, {"config": "a"})),
    ),
    "a share after results that may be chosen": PeoplesTable(
        "kernels.csv",
        "config,latency_ms,occupancy (%)\na,12.5,75\nb,14.5,75\nc,15.5,75\n",
        3,
        (("latency", 0.0155, {"config": "c", "occupancy_%": None}),),
        frozenset({"occupancy (%)"}),
    ),
    "a share that was chosen, by answer": PeoplesTable(
        "kernels.csv",
        "config,latency_ms,occupancy (%)\na,12.5,75\nb,14.5,75\nc,15.5,75\n",
        3,
        (("latency", 0.0155, {"config": "c", "occupancy": 75}),),
        answers={"occupancy (%)": "setting"},
    ),
    "rates with units that distinguish the rows": PeoplesTable(
        "load.csv",
        "model,rate,p50 (ms)\na,10 req/s,1.5\na,20 req/s,2.5\nb,10 req/s,3.5\nb,20 req/s,4.5\n",
        4,
        (("latency", 0.0045, {"model": "b", "rate": "20 req/s", "statistic": "median"}),),
    ),
    "a rate that was chosen, by answer": PeoplesTable(
        "audio.csv",
        "sampling rate,latency_ms\n44.1,1.5\n48.0,2.5\n96.0,5.5\n",
        3,
        (("latency", 0.0025, {"sampling_rate": 48.0}),),
        answers={"sampling rate": "setting"},
    ),
}
