"""Tables in which a column has one number in all rows, or in many: a result, a setting, or a question."""

from tests.learn.tables_of_people import PeoplesTable

CONSTANTS = {
    "one number of bytes per item in all rows": PeoplesTable(
        "tries.csv",
        "trie,Bytes/leaf,find (ns)\na,24,11.5\nb,24,12.5\n",
        2,
        (("find_time", 11.5e-9, {"trie": "a"}),),
        frozenset({"Bytes/leaf"}),
    ),
    "fractions with many decimals beside one case": PeoplesTable(
        "caches.csv",
        "cache,warmth,time (ms)\nc,0.6312,1.5\nc,0.7214,2.5\nc,0.8121,3.5\n",
        3,
        (("latency", 0.0015, {"cache": "c"}),),
        frozenset({"warmth"}),
    ),
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
    "sizes of subjects below the name of a metric": PeoplesTable(
        "models.json",
        '{"accuracy": {"resnet": 0.761, "vit": 0.812}, "params": {"vit": "86M", "resnet": "25M", "tiny": "5M"},'
        ' "latency_ms": {"resnet": 4.5, "vit": 9.5}}',
        4,
        (("latency", 0.0095, {"case": "vit", "params": "86M", "tiny": None, "resnet": None}),),
    ),
    "counts of subjects of which one has no time": PeoplesTable(
        "servers.json",
        '{"throughput_rps": {"left": 450.5, "right": 950.5}, "p50_ms": {"left": 4.5, "right": 9.5, "new": 3.5}}',
        5,
        (("latency", 0.0035, {"case": "new"}), ("request_throughput", 950.5, {"case": "right"})),
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
