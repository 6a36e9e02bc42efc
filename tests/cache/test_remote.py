"""Remote logs: an address is read like a folder, only what changed is fetched, and no credential is printed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import msgspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from reportgen.cache import remote
from reportgen.core.errors import RequestError
from reportgen.load import load_runs
from reportgen.pipeline import Request, build
from reportgen.sources.filesystem import resolve_existing, sha256_of
from tests.builders import NVIDIA_SMI_LOG, native_files, write_files
from tests.each_of import each_row

ADDRESS = "s3://bucket/camp"


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryFileSystem]:
    """A store in memory that the addresses lead to, and that notes which files are read."""
    system: Any = fsspec.filesystem("memory", skip_instance_cache=True)
    system.store.clear()
    system.asked = []
    read = system.cat_ranges

    def cat_ranges(names: list[str], *rest: Any, **options: Any) -> object:
        system.asked += names
        return read(names, *rest, **options)

    system.cat_ranges = cat_ranges
    monkeypatch.setattr(remote, "_open", lambda address: (system, address.replace("s3:/", "")))
    yield system
    system.store.clear()


def asked(store: Any) -> list[str]:
    """Return the files that were read since the last call."""
    names, store.asked = store.asked, []
    return names


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a copy that are not hidden."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and not file.name.startswith(".")
    }


@each_row(
    [
        ("s3://bucket/a/b", "s3://bucket/a/b"),
        ("s3://bucket/a/", "s3://bucket/a"),
        (Path("s3://bucket/a"), "s3://bucket/a"),
        ("https://host:80/x.log", "https://host:80/x.log"),
        ("logs/s3://x", None),
        ("s3", None),
        ("file:///etc", None),
        ("ftp://x/y", None),
    ]
)
def test_addresses_and_paths(text: str | Path, address: str | None) -> None:
    assert remote.address_of(text) == address


@pytest.mark.parametrize(
    "text",
    ["s3://key:secret@bucket/a", "https://host/a?X-Amz-Signature=secret", "https://user:secret@host/a#b"],
)
def test_credentials_in_an_address_are_refused_and_not_printed(text: str) -> None:
    with pytest.raises(RequestError, match="contains neither credentials nor a query") as error:
        resolve_existing(Path(text))
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("text", ["s3://bucket/../x", "s3://bucket//x", "s3://bucket/./x"])
def test_an_address_without_a_folder_is_refused(text: str) -> None:
    with pytest.raises(RequestError, match="is not the address of a folder"):
        remote.address_of(text)


def test_only_what_changed_is_fetched(store: MemoryFileSystem) -> None:
    store.pipe({"/bucket/camp/a.log": b"one", "/bucket/camp/r/b.log": b"two", "/bucket/camp/r/.hidden": b"x"})
    copy = remote.fetch(ADDRESS)
    assert contents(copy) == {"a.log": b"one", "r/b.log": b"two"}
    assert sorted(asked(store)) == ["/bucket/camp/a.log", "/bucket/camp/r/b.log"]
    assert (remote.fetch(ADDRESS), asked(store)) == (copy, [])
    store.pipe({"/bucket/camp/a.log": b"six"})
    store.rm("/bucket/camp/r/b.log")
    assert contents(remote.fetch(ADDRESS)) == {"a.log": b"six"}
    assert asked(store) == ["/bucket/camp/a.log"]


def test_a_copy_that_was_damaged_is_repaired(store: MemoryFileSystem) -> None:
    store.pipe({"/bucket/camp/a.log": b"one"})
    copy = remote.fetch(ADDRESS)
    (copy / "a.log").write_bytes(b"")
    (copy / "left.log").write_bytes(b"of a killed process")
    assert contents(remote.fetch(ADDRESS)) == {"a.log": b"one"}
    for index in (b"", b"[]", b'{"a.log": 5}'):
        (copy / ".reportgen-copy").write_bytes(index)
        assert contents(remote.fetch(ADDRESS)) == {"a.log": b"one"}


def test_a_kill_between_two_requests_leaves_nothing_half_old(
    store: MemoryFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_REQUEST_FILES", 1)
    old = {f"/bucket/camp/{name}": b"old" for name in "abc"}
    store.pipe(old)
    remote.fetch(ADDRESS)
    store.pipe(dict.fromkeys(old, b"new"))
    with pytest.raises(KeyboardInterrupt):
        remote.fetch(ADDRESS, progress=_interrupt)
    assert contents(remote.fetch(ADDRESS)) == dict.fromkeys("abc", b"new")


def _interrupt(done: int, total: int) -> None:
    raise KeyboardInterrupt


def test_a_file_is_read_by_itself(store: MemoryFileSystem) -> None:
    store.pipe({"/bucket/camp/a.log": NVIDIA_SMI_LOG.encode(), "/bucket/camp/b.log": b""})
    path = resolve_existing(Path("s3://bucket/camp/a.log"))
    (run,) = load_runs([path], root=Path("/root")).runs
    assert (run.id, run.source.path) == ("a.log", "s3://bucket/camp/a.log")
    assert asked(store) == ["/bucket/camp/a.log"]


def test_of_a_large_file_the_part_is_fetched_that_is_read(
    store: MemoryFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "WHOLE", 1000)
    monkeypatch.setattr(remote, "TAIL", 10)
    content = os.urandom(5000)
    store.pipe({"/bucket/camp/a.log": content})
    file = remote.fetch(ADDRESS) / "a.log"
    assert file.read_bytes() == content[:990] + bytes(4000) + content[-10:]
    import hashlib

    assert sha256_of(file) == hashlib.sha256(content).hexdigest()


def test_a_folder_that_is_too_large_is_refused(
    store: MemoryFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.pipe({"/bucket/camp/a": b"x" * 10, "/bucket/camp/b": b"x" * 10})
    for limit, value in (("MAX_FILES", 1), ("MAX_BYTES", 19)):
        with monkeypatch.context() as patch:
            patch.setattr(remote, limit, value)
            with pytest.raises(RequestError, match="holds 2 files"):
                remote.fetch(ADDRESS)
    assert asked(store) == []


@pytest.mark.parametrize(
    ("error", "fact"),
    [
        (FileNotFoundError(), "no such file or folder"),
        (PermissionError("secret"), "access is denied"),
        (OSError("connection refused"), "cannot be read: connection refused"),
        (ValueError("odd\nanswer"), "cannot be read: odd answer"),
    ],
)
def test_what_a_store_refuses_is_an_error_with_the_address(store: Any, error: Exception, fact: str) -> None:
    def find(*_: object, **__: object) -> None:
        raise error

    store.find = find
    with pytest.raises(RequestError) as raised:
        remote.fetch(ADDRESS)
    assert (raised.value.place, raised.value.fact) == (ADDRESS, fact)


@pytest.fixture(scope="module")
def s3() -> Iterator[dict[str, str]]:
    """A server that speaks S3, on loopback; the environment that leads to it."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "not-to-be-printed",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    server.stop()


@pytest.mark.slow
def test_runs_of_s3_equal_those_of_the_folder(s3: dict[str, str], tmp_path: Path) -> None:
    import boto3

    files = {
        f"r{number}/{name}": text.encode()
        for number in (1, 2)
        for name, text in native_files(number, *range(100, 230 + number)).items()
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in s3.items():
            patch.setenv(name, value)
        client = boto3.client("s3")
        client.create_bucket(Bucket="bench")
        for name, content in files.items():
            client.put_object(Bucket="bench", Key=f"camp/{name}", Body=content)
            (tmp_path / "camp" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "camp" / name).write_bytes(content)

    def runs(where: str) -> Any:
        command = [sys.executable, "-m", "reportgen", "runs", where, "--format", "json"]
        done = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, **s3}, capture_output=True, text=True, check=True
        )
        assert "not-to-be-printed" not in done.stdout + done.stderr
        return msgspec.json.decode(done.stdout.replace("s3://bench/camp", "camp"))

    local = runs("camp")
    assert len(local["runs"]) == 2
    assert runs("s3://bench/camp") == local


def test_a_definition_reads_an_address_and_names_it_as_the_source(
    store: MemoryFileSystem, tmp_path: Path
) -> None:
    for number in (1, 2):
        for name, text in native_files(number, *range(100, 230 + number)).items():
            store.pipe(f"/bucket/camp/r{number}/{name}", text.encode())
    definition = 'title = "Far"\nlogs = ["s3://bucket/camp/"]\n[[tables]]\nid = "t"\nrows = ["devices"]\n'
    write_files(tmp_path, {"reports/far.toml": f'{definition}metric = "step_time"\n'})
    built = build(Request(tmp_path, tmp_path / "reports"))
    (report,) = built.reports
    assert sum(report.runs.statuses.values()) == 2
    assert "s3://bucket/camp/r1/steps.rank0.csv" in built.files["far/report.json"].decode()
    assert str(tmp_path) not in built.files["far/report.json"].decode()
    readme = built.files["far/README.md"].decode()
    assert "s3://bucket/camp" in readme
    assert "remote/s3" not in readme + built.files["far/index.html"].decode()
    again = build(Request(tmp_path, tmp_path / "reports"))
    assert again.files == built.files
