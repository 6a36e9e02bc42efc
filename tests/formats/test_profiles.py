"""Tables of profilers: what they are, what takes longest, and never a run.

The tables are written as the fact sheet and the documentation of the programs describe them.
"""

import pytest

from reportgen.core.model import Finding
from reportgen.formats.detection import offer
from reportgen.sources.logfiles import LogFiles
from tests.builders import messages
from tests.each_of import each_row
from tests.formats.valid_logs import VALID_LOGS

NSYS = b"""\
Processing [report1.sqlite] with [cuda_gpu_kern_sum.py]...
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
61.5,6150000,100,61500.0,61400.0,60000,63000,400.1,"void gemm<float, 128>(int, float *)"
34.0,3400000,200,17000.0,17000.0,16000,18000,100.0,softmax
4.5,450000,10,45000.0,45000.0,44000,46000,100.0,copy

Processing [report1.sqlite] with [cuda_api_sum.py]...
Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
99.0,99000000,3,1.0,1.0,1,1,0.0,cudaDeviceSynchronize
"""
REORDERED = b"Name,Instances,Total Time (ns),Time(%)\nsoftmax,7,60,60.0\ncopy,1,40,40.0\n"
API = b"Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n80.0,800,3,1.0,cudaLaunchKernel\n20.0,200,1,1.0,cudaFree\n"
MEMORY = b"Time (%),Total Time (ns),Count,Avg (ns),Operation\n100.0,800,3,1.0,[CUDA memcpy Host-to-Device]\n"
RANGES = b"Time (%),Total Time (ns),Instances,Avg (ns),Style,Range\n100.0,800,3,1.0,PushPop,step\n"
# Two launches of one kernel take 406.24 + 343.76 us, a launch of another one 250 us.
NCU = b"""\
==PROF== Connected to process 12 (/usr/bin/python3)
==PROF== Profiling "gemm" - 0: 0%....50%....100% - 8 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name"
"0","12","python3","127.0.0.1","gemm","1","7","GPU Speed Of Light Throughput","SM Frequency","cycle/nsecond","1.24",""
"0","12","python3","127.0.0.1","gemm","1","7","GPU Speed Of Light Throughput","Duration","nsecond","406,240",""
"1","12","python3","127.0.0.1","copy","1","7","GPU Speed Of Light Throughput","Duration","msecond","0.25",""
"1","12","python3","127.0.0.1","copy","1","7","SpeedOfLight","","","","Bottleneck"
"2","12","python3","127.0.0.1","gemm","1","7","GPU Speed Of Light Throughput","Duration","usecond","343.76",""
"""
RAW = b"""\
"ID","Process ID","Process Name","Host Name","Kernel Name","gpu__time_duration.sum","sm__cycles_elapsed.avg"
"","","","","","nsecond","cycle"
"0","12","python3","127.0.0.1","gemm","300","10"
"1","12","python3","127.0.0.1","copy","100","10"
"""
WITHOUT_TIMES = NCU.replace(b'"Duration"', b'"Registers"')
DASHES = "  ".join(["-" * 20] + ["-" * 12] * 5)
CELLS = [
    ["Name", "Self CPU %", "Self CPU", "Self CUDA", "Self CUDA %", "# of Calls"],
    ["aten::mm", "10.00%", "1.000ms", "6.600ms", "66.00%", "100"],
    ["aten::copy_", "70.00%", "7.000ms", "3.400ms", "34.00%", "20"],
    ["cudaLaunchKernel", "20.00%", "2.000ms", "0.000us", "0.00%", "120"],
]
ROWS = ["  ".join(cell.rjust(20 if n == 0 else 12) for n, cell in enumerate(row)) for row in CELLS]
TORCH = "\n".join(
    [
        DASHES,
        ROWS[0],
        DASHES,
        *ROWS[1:],
        DASHES,
        "Self CPU time total: 10.000ms",
        "Self CUDA time total: 10.000ms",
        "",
    ]
).encode()
ON_CPU = "\n".join(
    "  ".join([line[:20], line[22:34], line[36:48], line[78:]]) for line in TORCH.decode().split("\n")
)


def findings(content: bytes, name: str = "p.csv") -> list[Finding]:
    claimed = offer(LogFiles.of({name: content}).file(name))
    assert claimed is not None
    assert (claimed.format.name, claimed.format.evidence) == ("profile", "profile")
    found = list(claimed.format.read(claimed.files))
    assert all(isinstance(each, Finding) for each in found)
    return [each for each in found if isinstance(each, Finding)]


@each_row(
    [
        (NSYS, "kernel profile: p.csv, 3 kernels, longest: void gemm<float, 128>(int, float *) 61.5 %"),
        (REORDERED, "kernel profile: p.csv, 2 kernels, longest: softmax 60 %"),
        (API, "API call profile: p.csv, 2 API calls, longest: cudaLaunchKernel 80 %"),
        (
            MEMORY,
            "memory operation profile: p.csv, 1 memory operation, longest: [CUDA memcpy Host-to-Device] 100 %",
        ),
        (RANGES, "range profile: p.csv, 1 range, longest: step 100 %"),
        (NCU, "kernel profile: p.csv, 2 kernels, longest: gemm 75 %"),
        (RAW, "kernel profile: p.csv, 2 kernels, longest: gemm 75 %"),
        (WITHOUT_TIMES, "kernel profile: p.csv, 2 kernels"),
        (TORCH, "operator profile: p.csv, 3 operators, longest: aten::mm 66 %"),
        (ON_CPU.encode(), "operator profile: p.csv, 3 operators, longest: aten::copy_ 70 %"),
        (
            API.replace(b"cudaLaunchKernel", b"k" * 99),
            f"API call profile: p.csv, 2 API calls, longest: {'k' * 57}... 80 %",
        ),
    ]
)
def test_the_longest_of_a_profile_is_named(content: bytes, said: str) -> None:
    assert messages(findings(content), "read.profile") == [said]


@pytest.mark.parametrize("content", [
    NSYS[: NSYS.index(b"61.5")],
    REORDERED.replace(b"60.0", b"many"),
    NCU[: NCU.index(b'"0"')],
    TORCH[: TORCH.index(b"aten::mm") - 30],
    b'Time (%),Total Time (ns),Instances,Name\n"' + b"9" * 200_000,
])  # fmt: skip
def test_damaged_profiles_say_nothing(content: bytes) -> None:
    assert findings(content) == []


@pytest.mark.parametrize(
    "content", [b"Time (%),Load (%),x\n1,2,3\n", b"Name  Self CPU\n", b"ID,Kernel Name\n0,x\n"]
)
def test_other_tables_are_not_profiles(content: bytes) -> None:
    claimed = offer(LogFiles.of({"p.csv": content}).file("p.csv"))
    assert claimed is None or claimed.format.name != "profile"


def test_a_trainer_that_prints_a_profile_is_still_a_trainer() -> None:
    log = next(iter(VALID_LOGS["nanogpt"].values())) + TORCH
    claimed = offer(LogFiles.of({"a.log": log}).file("a.log"))
    assert claimed is not None
    assert claimed.format.name == "nanogpt"
