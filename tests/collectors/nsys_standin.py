"""A stand-in for `nsys` and for what torch and CUDA do under it, after the documentation of Nsight Systems.

`nsys profile` knows the documented options and runs the program. The stand-in of torch notes ranges and
launches between the calls of the CUDA profiler. `nsys export` writes them as its SQLite schema describes.
"""

import os
import sys

NSYS = f"""#!{sys.executable} -S
import json, os, sqlite3, subprocess, sys
command, words = sys.argv[1], sys.argv[2:]
options = {{}}
while words and words[0].startswith("--"):
    name, _, value = words.pop(0).partition("=")
    options[name] = value
if command == "profile":
    documented = {{
        "--trace": "cuda,nvtx", "--cuda-graph-trace": "node", "--sample": "none", "--cpuctxsw": "none",
        "--capture-range": "cudaProfilerApi", "--capture-range-end": "stop", "--force-overwrite": "true",
    }}
    output = options.pop("--output")
    assert options == documented, options
    report = output + ".nsys-rep"
    sys.exit(subprocess.call(words, env={{**os.environ, "NSYS_STANDIN": report}}))
assert command == "export" and options.pop("--type") == "sqlite" and options.pop("--force-overwrite") == "true"
connection = sqlite3.connect(options.pop("--output"))
assert not options
connection.executescript('''
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE NVTX_EVENTS (start INT NOT NULL, end INT, eventType INT NOT NULL, text TEXT, globalTid INT, textId INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT NOT NULL, end INT NOT NULL, globalTid INT, correlationId INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT NOT NULL, end INT NOT NULL, correlationId INT, globalPid INT,
    demangledName INT NOT NULL, shortName INT NOT NULL);
''')
PROCESS, OTHER = 0x1000000 * 77, 0x1000000 * 78
names = {{}}
def text_id(text):
    if text not in names:
        names[text] = len(names) + 1
        connection.execute("INSERT INTO StringIds VALUES (?, ?)", (names[text], text))
    return names[text]
with open(words[0]) as file:
    events = [json.loads(line) for line in file]
for number, (kind, name, begin, end) in enumerate(events):
    if kind == "range":
        row = (begin, end, 59, name, PROCESS + 1, None) if number % 2 else (begin, end, 59, None, PROCESS + 1, text_id(name))
        connection.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?, ?, ?)", row)
    else:  # the thread of autograd launches; the other process has the same correlation ids
        for process, duration in ((PROCESS, end), (OTHER, 10 ** 9)):
            launch = (begin, begin + 10, process + 2, number)
            connection.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?)", launch)
            kernel = (begin + 500, begin + 500 + duration, number, process, text_id(name), text_id("short"))
            connection.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?, ?, ?)", kernel)
connection.commit()
"""

TORCH = """
import contextlib, json, os, time, types
__version__ = "0"
captures = False
def note(*event):
    if captures:
        with open(os.environ["NSYS_STANDIN"], "a") as file:
            print(json.dumps(event), file=file)
def set_capture(value):
    global captures
    captures = value
@contextlib.contextmanager
def range_(name):
    begin = time.perf_counter_ns()
    yield
    note("range", name, begin, time.perf_counter_ns())
def launch(name, duration):
    note("kernel", name, time.perf_counter_ns(), duration)
cuda = types.SimpleNamespace(
    is_available=lambda: True, is_initialized=lambda: False,
    profiler=types.SimpleNamespace(start=lambda: set_capture(True), stop=lambda: set_capture(False)),
    nvtx=types.SimpleNamespace(range=range_),
)
"""


def install(folder):
    """Write `nsys` and the stand-in of torch below a folder; return the variables that find them."""
    (folder / "bin").mkdir()
    (folder / "bin" / "nsys").write_text(NSYS)
    (folder / "bin" / "nsys").chmod(0o755)
    (folder / "torch.py").write_text(TORCH)
    return {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
