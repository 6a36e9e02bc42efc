"""Tables that state a unit, or what is larger, twice and differently: each is asked about."""

from tests.learn.tables_of_people import PeoplesTable

CONTRADICTIONS = {
    "thousands in the name and the plain unit behind the numbers": PeoplesTable(
        "loads.csv",
        "server,throughput (krps),,p99 (ms)\na,1.5,req/s,12.5\nb,6.5,req/s,14.5\n",
        2,
        (("latency", 0.0145, {"server": "b"}),),
        frozenset({"throughput (krps)"}),
    ),
    "a column with another unit than the one before it states": PeoplesTable(
        "two.csv",
        "cfg,latency (ms),,rss (MB)\na,1.5,s,20.5\nb,2.5,s,30.5\n",
        2,
        (("rss", 20.5e6, {"cfg": "a"}),),
        frozenset({"latency (ms)"}),
    ),
    "an answer says which of two units holds": PeoplesTable(
        "two.csv",
        "cfg,latency (ms),\na,1.5,s\nb,2.5,s\n",
        2,
        (("latency", 1.5, {"cfg": "a"}),),
        answers={"latency (ms)": "s"},
    ),
    "another unit in a row below the names": PeoplesTable(
        "loads.csv",
        "server,rate (krps),p99\n,req/s,ms\na,1.5,12.5\nb,6.5,14.5\n",
        2,
        (("latency", 0.0125, {"server": "a"}),),
        frozenset({"rate (krps)"}),
    ),
    "a column of units behind numbers without a unit": PeoplesTable(
        "waits.csv",
        "job,latency (ms),limit,unit\na,1.5,30,s\nb,2.5,40,s\n",
        2,
        (("latency", 0.0025, {"job": "b"}),),
        frozenset({"limit"}),
    ),
    "another unit in a column of units": PeoplesTable(
        "loads.csv",
        "server,throughput (krps),p99 (ms),throughput unit\na,1.5,12.5,req/s\nb,6.5,14.5,req/s\n",
        2,
        (("latency", 0.0125, {"server": "a"}),),
        frozenset({"throughput (krps)"}),
    ),
    "the same unit in a column of units": PeoplesTable(
        "loads.csv",
        "server,throughput (krps),throughput unit\na,1.5,kreq/s\nb,6.5,kreq/s\n",
        2,
        (("request_throughput", 1500, {"server": "a"}),),
    ),
    "a maximum below the minimum": PeoplesTable(
        "pings.csv",
        "link,min_latency_ms,max_latency_ms,rate (req/s)\na,9.5,2.5,5.5\nb,8.5,3.5,6.5\n",
        2,
        (("request_throughput", 5.5, {"link": "a"}),),
        frozenset({"min_latency_ms", "max_latency_ms"}),
    ),
    "a mean above the maximum, in other units": PeoplesTable(
        "pings.md",
        "| link | mean latency | max latency | size (MB) |\n|--|--|--|--|\n| a | 9.5 ms | 800 us | 1.5 |\n"
        "| b | 8.5 ms | 900 us | 2.5 |\n",
        2,
        open=frozenset({"mean latency", "max latency"}),
    ),
    "a median above a percentile, as an answer confirms": PeoplesTable(
        "pings.csv",
        "link,p50_ms,p99_ms\na,9.5,2.5\nb,8.5,3.5\n",
        4,
        (("latency", 0.0025, {"link": "a", "statistic": "p99"}),),
        answers={"p50_ms": "ms", "p99_ms": "ms"},
    ),
    "one row whose maximum is below its minimum": PeoplesTable(
        "pings.csv",
        "link,min_ms,max_ms\na,1.5,2.5\nb,8.5,3.5\nc,1.25,1.75\n",
        6,
        (("latency", 0.0035, {"link": "b", "statistic": "maximum"}),),
    ),
    "a percentile of a rate that counts from above": PeoplesTable(
        "frames.csv",
        "scene,median fps,p99 fps\na,60.5,40.5\nb,59.5,30.5\n",
        4,
        (("throughput", 30.5, {"scene": "b", "statistic": "p99"}),),
    ),
}
