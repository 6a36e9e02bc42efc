"""Every reader survives every saved input, and every kind of damage that is too large to save.

Inputs that tests/fuzz/run.py saves in corpus/ are cases here. A thorough run, as .ci/run is, gives each to every
format, and makes every kind of damage in every format.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from zlib import crc32

import pytest

from reportgen.sources.logfiles import LogFiles
from tests.builders import format_named
from tests.conftest import IS_THOROUGH
from tests.each_of import each_of
from tests.formats.valid_logs import VALID_LOGS
from tests.fuzz.inputs import ANY_FORMAT, CORPUS, Input, endless, kept, large
from tests.fuzz.replay import DETECTION, DISK, TRIALS, limited_memory, limited_time, replay

pytestmark = pytest.mark.slow

# s of processor time for one trial: what goes wrong takes minutes, what goes well milliseconds.
BOUND = 3.0
QUICK = 1.0
MOST = 20_000
# Of a search that only a thorough run makes whole, others try one in so many.
PART = 9
SAVED = {name: list(inputs) for name, inputs in groupby(kept(), lambda one: one.format)}


def part_of(name: str, inputs: Iterable[Input]) -> Sequence[Input]:
    """Return the inputs of a format that are tried: all in a thorough run, else a part of them."""
    every = list(inputs)
    return every if IS_THOROUGH or not every else every[crc32(name.encode()) % len(every) :: PART]


def trials_of(one: Input) -> Sequence[str]:
    """Return the trials of a saved input: all in a thorough run, else its own format and a part of the others."""
    if IS_THOROUGH:
        return TRIALS
    first = crc32(one.name.encode()) % PART
    own = {DETECTION, DISK, one.format} - {ANY_FORMAT}
    return sorted({*own, *TRIALS[first::PART]}, key=TRIALS.index)


@pytest.mark.parametrize("name", SAVED)
def test_readers_survive_saved_inputs(name: str) -> None:
    each_of(SAVED[name])(lambda one: replay(one, BOUND, trials_of(one)))()


@pytest.mark.no_cover
@pytest.mark.parametrize("name", VALID_LOGS)
def test_readers_survive_endless_lines_archives_and_wide_characters(name: str) -> None:
    for one in large(name) if name == "dllogger" else part_of(name, large(name)):
        replay(one, BOUND, [name, DETECTION, DISK] if name == "dllogger" else [name])


@pytest.mark.no_cover
@pytest.mark.parametrize("name", VALID_LOGS)
def test_incomplete_records_are_read_in_linear_time(name: str) -> None:
    for one in part_of(name, endless(name)):
        replay(one, QUICK, [DETECTION, name])


TABLE = (
    b"***** train metrics *****\n" + b" train_runtime = 0:00:00\n" * 78 + b" train_samples_per_second = 1\n" * 60
    + b"x\n" * 250
)  # fmt: skip
LLAMA = (
    b"".join(b"  Device %d: a device with quite a long name, compute\n" % (n % 100) for n in range(5000))
    + b"| model | test | t/s |\n"
    + "| a | pp512 | 1.0 ± 0.1 |\n".encode() * 5000
)  # fmt: skip
# (format, path, content): what took the time that the square of a size explains, or hundreds of looks a byte.
LONG = (
    ("hf_trainer", "x.log", TABLE * 200),
    ("osu", "x.log", b"# OSU MPI Latency Test v7\n" + b"# Size  Latency (us)  " * 6000 + b"\n"),
    ("timm_benchmark", "x.log", b'--result\n{"model": "\n' * 40_000),
    ("tqdm", "x.log", b"Training: 100%|####| 10/10 [00:05<00:00, 2.00it/s]\n" * 5000),
    ("llama_bench", "x.md", LLAMA),
    (
        "hugectr",
        "x.log",
        b"Iter: 1 Time(200 iters): 1.0s Loss: 1 lr:1\nDevice 0: a" + b" " * 4_000_000 + b"x\n",
    ),
    ("mllog", "results/system/ssd/result_0.txt", b":::MLL 1 a: {" * 80_000),
    ("mllog", "results/system/ssd/result_0.txt", b":::MLL 1 a: {}" * 80_000),
    ("torchvision", "x.log", b"Epoch: [0]  [0/1]  eta: 1 " * 200_000 + b"  data: 1\n"),
)


@pytest.mark.no_cover
@pytest.mark.parametrize(("name", "path", "content"), LONG, ids=[f"{one[0]}-{len(one[2])}" for one in LONG])
def test_repetitive_logs_are_read_in_linear_time(name: str, path: str, content: bytes) -> None:
    files = LogFiles.of({path: content}).file(path)
    with limited_memory(), limited_time(QUICK):
        format_named(name).claims(files)
        assert list(format_named(name).read(files))


def test_every_format_has_small_saved_inputs() -> None:
    inputs = kept()
    few = [name for name in VALID_LOGS if len([one for one in inputs if one.format == name]) < 3]
    assert not few, f"formats with fewer than 3 hostile logs in tests/fuzz/corpus/<format>/: {few}"
    assert {one.format for one in inputs} == {*VALID_LOGS, ANY_FORMAT}, "folders of unknown formats"
    assert [one.name for one in inputs if one.size() > MOST] == []
    assert [path.name for path in CORPUS.rglob("*") if path.name.startswith(".")] == []
