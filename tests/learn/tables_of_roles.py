"""Tables whose columns must not change their roles: settings, results, their units and statistics."""

from tests.learn.tables_of_people import PeoplesTable

ROLES = {
    "an object of units, each of the numbers that it names": PeoplesTable(
        "store.json",
        '{"units": {"throughput": "kops/s", "p99": "us", "mem": "MB"}, "results": ['
        '{"engine": "a", "threads": 1, "throughput": 212.5, "p99": 31.5, "mem": 412},'
        '{"engine": "b", "threads": 8, "throughput": 812.5, "p99": 57.5, "mem": 466}]}',
        6,
        (
            ("throughput", 212500, {"engine": "a", "statistic": None}),
            ("latency", 57.5e-6, {"engine": "b", "statistic": "p99"}),
            ("memory_used", 412e6, {"engine": "a"}),
        ),
    ),
    "an object of units that lacks one": PeoplesTable(
        "store.json",
        '{"units": {"throughput": "kops/s"}, "results": ['
        '{"engine": "a", "throughput": 212.5, "p99": 31.5}, {"engine": "b", "throughput": 812.5, "p99": 57.5}]}',
        2,
        (("throughput", 212500, {"engine": "a", "statistic": None}),),
        frozenset({"p99"}),
    ),
    "a setting by answer": PeoplesTable(
        "md.csv",
        "system,atoms,ns/day\na,23558,412.5\nb,92224,130.5\nc,1066628,12.5\n",
        3,
        (("ns_per_day", 130.5, {"system": "b", "atoms": 92224}),),
        answers={"atoms": "setting"},
    ),
    "hours and minutes by answer": PeoplesTable(
        "clock.csv",
        "model,training time\na,15:52\nb,2:09\n",
        2,
        (("run_time", 7740, {"model": "b"}),),
        answers={"training time": "h:mm"},
    ),
    "a percent of a peak": PeoplesTable(
        "kernels.csv",
        "kernel,GFLOP/s,% of peak,rapport\na,105.5,10.5%,1.0\nb,210.5,21.0%,2.0\nc,870.5,87.0%,8.2\n",
        3,
        (("flops", 210.5e9, {"kernel": "b"}),),
    ),
    "numbers that are a constant divided by others": PeoplesTable(
        "codecs.csv",
        "codec,compressed size (MB),speed (MB/s),x\na,73.4,511.8,2.887\nb,66.5,338.2,3.186\nc,59.3,81.07,3.573\nd,51.2,3.41,4.139\n",
        8,
        (("compressed_size", 73.4e6, {"codec": "a"}),),
    ),
    "versions that look like numbers": PeoplesTable(
        "versions.csv",
        "library,version,encode_ms\na,3.9,1.5\na,3.10,3.5\nb,1.1,1.25\n",
        3,
        (("encode_time", 0.0035, {"library": "a", "version": "3.10"}),),
    ),
}
