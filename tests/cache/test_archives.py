"""Archives and compressed files: what is in them is read, and nothing else happens."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import zstandard

from reportgen.cache import archives
from reportgen.cache.archives import Packed, archive_of, unpack
from reportgen.load import load_runs
from tests.builders import NVIDIA_SMI_LOG

FILES = {"run1/a.log": b"one", "run2/b.log": b"two"}


def name_only(value: object) -> str:
    """Return the id of a parameter; contents have times and random bytes, and ids must be the same in all processes."""
    return value if isinstance(value, str) else ""


def tar_of(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def zip_of(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def zst(content: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(content)


def contents(path: Path) -> dict[str, bytes]:
    folder, names = unpack(str(path))
    return {name: Path(folder, name).read_bytes() for name in names}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("logs.zip", zip_of(FILES)),
        ("logs.tar", tar_of(FILES)),
        ("logs.tar.gz", gzip.compress(tar_of(FILES))),
        ("logs.TGZ", gzip.compress(tar_of(FILES))),
        ("logs.tar.bz2", bz2.compress(tar_of(FILES))),
        ("logs.tar.xz", lzma.compress(tar_of(FILES))),
        ("logs.tar.zst", zst(tar_of(FILES))),
    ],
    ids=name_only,
)
def test_an_archive_is_a_folder(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert contents(tmp_path / name) == FILES


@pytest.mark.parametrize(
    ("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress), ("zst", zst)]
)
def test_a_compressed_file_is_a_folder_with_one_file(
    tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    (tmp_path / f"a.log.{ending}").write_bytes(pack(b"one"))
    assert contents(tmp_path / f"a.log.{ending}") == {"a.log": b"one"}


@pytest.mark.parametrize("make", [tar_of, zip_of])
def test_only_files_below_the_archive_are_unpacked(
    tmp_path: Path, make: Callable[[Mapping[str, bytes]], bytes]
) -> None:
    wrong = ("../up.log", "a/../../up.log", "/etc/up.log", ".hidden/a", "__MACOSX/a", "x//y")
    archive = tmp_path / f"logs.{'tar' if make is tar_of else 'zip'}"
    archive.write_bytes(make(dict.fromkeys(wrong, b"no") | {"./run/a.log": b"yes"}))
    assert contents(archive) == {"run/a.log": b"yes"}
    assert not list(tmp_path.rglob("up.log"))


def test_links_and_devices_are_left_out(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "logs.tar", "w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            member = tarfile.TarInfo(f"link{kind!r}")
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "logs.zip", "w") as zipped:
        zipped.writestr(link, "/etc/passwd")
    assert contents(tmp_path / "logs.tar") == contents(tmp_path / "logs.zip") == {}


def encrypted() -> bytes:
    content = bytearray(zip_of({"a": b"x"}))
    for sign in (b"PK\x01\x02", b"PK\x03\x04"):
        at = content.index(sign)
        content[at + (8 if sign == b"PK\x01\x02" else 6)] |= 1
    return bytes(content)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.zip", b"PK\x03\x04 torn", "cannot be unpacked: File is not a zip file"),
        ("a.zip", encrypted(), "is encrypted; unpack it"),
        ("a.log.gz", gzip.compress(b"x" * 5000)[:-9], "cannot be unpacked: Compressed file ended"),
        ("a.log.gz", b"no gzip", "cannot be unpacked: Not a gzipped file"),
        ("a.tar", tar_of(FILES)[:700], "cannot be unpacked: unexpected end of data"),
        ("a.log.xz", b"no xz", "cannot be unpacked: Input format not supported"),
        ("a.log.zst", b"no zstd", "cannot be unpacked: zstd decompress"),
        ("a.log.zst", zst(os.urandom(5000))[:-9], "cannot be unpacked: the end is missing"),
        ("a.tar", tar_of({"x": b"file", "x/y": b"below a file"}), "cannot be unpacked:"),
    ],
    ids=name_only,
)
def test_what_cannot_be_unpacked_says_why(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(Packed) as error:
        unpack(str(tmp_path / name))
    assert str(error.value).startswith(reason)


def test_bounds_hold_before_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_BYTES", 2**20)
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    (tmp_path / "bomb.log.gz").write_bytes(gzip.compress(bytes(2**25)))
    (tmp_path / "many.zip").write_bytes(zip_of({f"{number}": b"" for number in range(4)}))
    for name, fact in (("bomb.log.gz", "holds more than 0 GiB"), ("many.zip", "holds more than 3 files")):
        with pytest.raises(Packed, match=fact):
            unpack(str(tmp_path / name))


def test_zstd_may_compress_in_several_frames(tmp_path: Path) -> None:
    content = os.urandom(300_000)
    (tmp_path / "a.bin.zst").write_bytes(zst(b"") + zst(content) + zst(b"end"))
    assert contents(tmp_path / "a.bin.zst") == {"a.bin": content + b"end"}


def test_an_archive_is_unpacked_again_if_it_changed(tmp_path: Path) -> None:
    log = tmp_path / "a.log.gz"
    log.write_bytes(gzip.compress(b"one"))
    first = unpack(str(log))
    assert unpack(str(log)) == first
    log.write_bytes(gzip.compress(b"three"))
    assert contents(log) == {"a.log": b"three"}


def test_of_two_processes_the_folder_of_the_first_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "a.log.gz"
    log.write_bytes(gzip.compress(b"one"))
    unpack_all, pid = archives._write_all, os.getpid()
    of_the_first: list[int] = []

    def write_slowly(path: str, folder: str) -> archives._Index:
        index = unpack_all(path, folder)
        monkeypatch.setattr(archives, "_write_all", unpack_all)
        monkeypatch.setattr(os, "getpid", lambda: pid + 1)
        of_the_first.append(Path(unpack(path).folder).stat().st_ino)
        monkeypatch.setattr(os, "getpid", lambda: pid)
        return index

    monkeypatch.setattr(archives, "_write_all", write_slowly)
    assert [Path(unpack(str(log)).folder).stat().st_ino] == of_the_first
    assert contents(log) == {"a.log": b"one"}


def test_a_day_without_use_makes_room(tmp_path: Path) -> None:
    log = tmp_path / "a.log.gz"
    log.write_bytes(gzip.compress(b"one"))
    folder = unpack(str(log)).folder
    archives.make_room(1)
    assert Path(folder).is_dir()
    os.utime(f"{folder}/.reportgen-index", (0, 0))
    archives.make_room(1)
    assert not Path(folder).exists()
    assert contents(log) == {"a.log": b"one"}


@pytest.mark.parametrize(
    ("path", "archive"),
    [
        ("logs/a.tar.gz/run/x.log", "logs/a.tar.gz"),
        ("a.log.gz/a.log", "a.log.gz"),
        ("logs/run/x.log", None),
        ("logs/a.zip", None),
    ],
)
def test_the_archive_of_a_path(path: str, archive: str | None) -> None:
    assert archive_of(path) == archive


def test_logs_in_archives_are_read_like_logs_in_folders(tmp_path: Path) -> None:
    log = NVIDIA_SMI_LOG.encode()
    for name in ("plain/run1", "plain/run2"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("plain/run1/a.log", "plain/run2/b.log"):
        (tmp_path / name).write_bytes(log)
    labels = b'[constants]\nowner = "me"\n'
    (tmp_path / "plain/labels.toml").write_bytes(labels)
    packed = zip_of({"run1/a.log": log, "run2/b.log": log, "labels.toml": labels})
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed/logs.zip").write_bytes(packed)
    plain, inside = (load_runs([name], root=tmp_path) for name in ("plain", "packed/logs.zip"))
    assert [run.id for run in inside.runs] == [run.id for run in plain.runs] == ["run1/a.log", "run2/b.log"]
    assert [run.factors for run in inside.runs] == [run.factors for run in plain.runs]
    assert [run.source.path for run in inside.runs] == [
        "packed/logs.zip/run1/a.log",
        "packed/logs.zip/run2/b.log",
    ]
    below = load_runs(["packed"], root=tmp_path)
    assert [run.id for run in below.runs] == ["logs.zip/run1/a.log", "logs.zip/run2/b.log"]


def test_an_archive_that_stays_packed_is_a_finding_and_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.log.gz").write_bytes(b"torn")
    for path in (".", "a.log.gz"):
        found = load_runs([path], root=tmp_path)
        (finding,) = found.findings
        assert (finding.rule, finding.source and finding.source.path) == ("read.packed-file", "a.log.gz")
        assert "was skipped: cannot be unpacked: Not a gzipped file" in finding.message
        assert [file.path for file in found.unrecognised] == ["a.log.gz"]
