"""Batches from the cache: the same listing, and only what changed is parsed."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

import reportgen
from reportgen import load as loading
from reportgen.cache import cache_folder, inputs
from reportgen.cache.rows import Rows
from reportgen.load import stored_batches
from reportgen.load.worker import Batch, BatchResult, RunMapper
from reportgen.sources import filesystem
from tests.builders import native_files
from tests.formats.valid_logs import NANOGPT

TACOTRON = b"".join(
    b"DLL 2021-06-26 20:00:%02d.000000 - (0, %d) train_items_per_sec : 5000.0 \n" % (step, step)
    for step in range(9)
)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., int]:
    """List the runs of logs/, compare with reading all, and return the number of parsed files and folders.

    Each batch has one file, and files are old at once.
    """
    count = 0
    parse = loading.parse_batch

    def counted(batch: Batch, mapper: RunMapper[object]) -> BatchResult[object]:
        nonlocal count
        count += len(batch)
        return parse(batch, mapper)

    monkeypatch.setattr(loading, "parse_batch", counted)
    monkeypatch.setattr(loading, "_POOL_FILES", 10**6)
    monkeypatch.setattr(loading, "_BATCH_FILES", 1)
    monkeypatch.setattr(loading, "_BATCH_FOLDERS", 1)
    monkeypatch.setattr(loading, "_WHOLE_FOLDER_FILES", 0)
    monkeypatch.setattr(inputs, "YOUNG_SECONDS", 0.0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def parsed(**options: object) -> int:
        nonlocal count
        count = 0
        cached = reportgen.list_runs("logs", root=tmp_path, cache=True, **options)  # type: ignore[arg-type]
        number = count
        read = reportgen.list_runs("logs", root=tmp_path, **options)  # type: ignore[arg-type]
        assert (cached.to_json(), cached.findings) == (read.to_json(), read.findings)
        return number

    logs = tmp_path / "logs"
    for name in ("a", "b", "c"):
        (logs / name).mkdir(parents=True)
        (logs / name / "x.log").write_bytes(NANOGPT + name.encode())
    monkeypatch.chdir(tmp_path)
    return parsed


def test_only_what_changed_is_parsed(parsed: Callable[..., int]) -> None:
    assert [parsed() for _ in range(2)] == [3, 0]
    log = Path("logs/b/x.log")
    status = log.stat()
    log.write_bytes(log.read_bytes()[:-1] + b"d")
    os.utime(log, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert [parsed() for _ in range(2)] == [1, 0]
    Path("logs/b/y.log").write_bytes(Path("logs/a/x.log").read_bytes())  # a copy of another file
    assert [parsed() for _ in range(2)] == [1, 0]
    Path("logs/a/x.log").unlink()
    assert parsed() == 0
    Path("logs/b/note.txt").write_text("no log")
    assert [parsed() for _ in range(2)] == [1, 0]


def test_results_are_stored_before_all_are_read(
    parsed: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    store = Rows.store

    def counted(rows: Rows, new: Mapping[bytes, bytes], used: Iterable[bytes] = ()) -> None:
        sizes.append(len(new))
        store(rows, new, used)

    monkeypatch.setattr(Rows, "store", counted)
    monkeypatch.setattr(stored_batches, "_STORED_AT_ONCE", 1)
    assert [parsed() for _ in range(2)] == [3, 0]
    assert sizes == [1, 1, 1]


def test_another_protocol_parses_again(parsed: Callable[..., int]) -> None:
    assert [parsed(), parsed(protocol="1+2x3"), parsed(), parsed(protocol="1+2x3")] == [3, 3, 0, 0]


@pytest.mark.parametrize("place", ["labels.toml", "logs/labels.toml", "logs/b/labels.toml"])
def test_labels_that_change_parse_again(parsed: Callable[..., int], place: str) -> None:
    parsed()
    for model in ("one", "two"):
        Path(place).write_text(f'[constants]\nmodel = "{model}"\n')
        assert (parsed() > 0, parsed()) == (True, 0)
    Path(place).write_text('[constants]\nmodel = "two"\n[aliases.model]\nnever = "used"\n')  # a finding
    assert (parsed() > 0, parsed()) == (True, 0)


def test_files_beside_a_log_count(parsed: Callable[..., int]) -> None:
    folder = Path("logs/8xV100/PyTorch_tacotron2_FP32")
    folder.mkdir(parents=True)
    (folder / "01-02-2024_10-00-00.txt").write_bytes(TACOTRON)
    assert (parsed(), parsed()) == (4, 0)
    (folder / "benchmark.para").write_text("GLOBAL_BATCH 64\nGPU 4\n")  # the log's, and a file of its own
    assert (parsed(), parsed()) == (2, 0)
    (folder / "benchmark.para").write_text("GLOBAL_BATCH 32\nGPU 4\n")
    assert (parsed(), parsed()) == (2, 0)
    (folder.parent / "sys_pytorch.txt").write_text("GPU: V100\n")
    # In one process, a batch also depends on what readers of earlier batches asked for.
    assert (parsed(), parsed()) == (3, 0)


def test_a_folder_that_is_one_run_is_parsed_again_if_a_file_of_it_changes(parsed: Callable[..., int]) -> None:
    folder = Path("logs/native")
    folder.mkdir()
    for name, content in native_files(1).items():
        (folder / name).write_text(content)
    assert (parsed(), parsed()) == (4, 0)
    (steps,) = folder.glob("steps.rank0*.csv")
    steps.write_bytes(steps.read_bytes() + b"cut")
    assert (parsed(), parsed()) == (1, 0)


def test_young_and_unreadable_files_are_not_stored(
    parsed: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "YOUNG_SECONDS", 3600.0)
    assert [parsed() for _ in range(2)] == [3, 3]
    monkeypatch.setattr(inputs, "YOUNG_SECONDS", 0.0)
    with monkeypatch.context() as patch:

        def refused(place: str, size: int) -> bytes:
            raise PermissionError(13, "Permission denied", place)

        patch.setattr(filesystem, "read_head", refused)
        assert [parsed() for _ in range(2)] == [3, 3]
    assert [parsed() for _ in range(2)] == [3, 0]


def test_a_scribbled_cache_gives_what_reading_gives(parsed: Callable[..., int]) -> None:
    parsed()
    (stored,) = Path(cache_folder(), "rows").iterdir()
    content = stored.read_bytes()
    for at in range(0, len(content), len(content) // 40):
        stored.write_bytes(content[:at] + b"#" * 64 + content[at + 64 :])
        parsed()  # compares


def test_one_more_file_moves_few_borders(parsed: Callable[..., int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_BATCH_FILES", 16)
    for number in range(300):
        Path(f"logs/c/{number:03}.txt").write_text("no log")
    assert (parsed(), parsed()) == (303, 0)
    Path("logs/a/another.txt").write_text("no log")
    assert 1 <= parsed() <= 32
