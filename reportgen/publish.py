"""Write generated files, or return what writing them would change. Nothing else writes into a repository.

In: a mapping from relative paths to bytes, all rendered before the first write. New content is written to
temporary files beside the old ones and flushed to the disk; only when all of it is there, and a journal
says so, does it replace the old files. A full disk leaves the old files intact. So does a killed build, or
the next command completes what the journal says (`finish_killed`): all files are old, or all are new. Two
builds replace one after the other. A file that was not generated is never touched: if it is where an output
should be, and neither on a list of generated files nor marked as generated, the build stops. The temporary
files of a killed build are removed by the next one.
"""

import errno
import fcntl
import os
import re
import stat
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Literal

from reportgen.core.errors import RequestError
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.stored_files import pieces_of
from reportgen.render import registry

What = Literal["new", "changed", "removed", "edited", "conflict"]

# A reviewer reads these; other generated files have thousands of lines.
_REVIEWED_ENDING = ".md"
# The lines between which git writes our lines, on request those of the base, and theirs.
_CONFLICT = lazy_pattern(rb"^<{7} ", re.MULTILINE)
_OURS_FOLLOW, _OTHERS_FOLLOW = (b"<<<<<<<", b">>>>>>>"), (b"|||||||", b"=======")
_TEMPORARY = lazy_pattern(r"\.(.+)\.([0-9]+)\.new")
# While files are replaced, it says by which process, and which ones: lines `+path`, and `-path` if removed.
_JOURNAL = ".reportgen.replacing"


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """A file that differs from what is generated today.

    path  relative to the folder, POSIX
    what  new: does not exist yet; changed: other content; removed: no longer generated;
          edited: a page or figure that was edited by hand, as its checksum shows;
          conflict: a merge left the lines of two branches in it
          Temporary files of a killed build are "removed" too.
    kept  the name of the hidden file beside it to which `apply` copies the edited text, "" for none
    """

    path: str
    what: What
    kept: str = ""


def compare(outputs: Mapping[str, bytes], folder: Path, *, owned: Collection[str] = ()) -> list[Change]:
    """Return what `apply` would change, writing nothing, by path.

    owned   paths that an earlier build generated; those that are no longer generated are orphans
    raises  RequestError if an output would be written through a symbolic link or over a file that was
            not generated
    """
    changes = [
        Change(path, what, _copy_name(folder, path) if what == "edited" else "")
        for path in outputs
        if (what := _difference(_target(folder, path), path, outputs))
    ]
    for change in changes:
        if change.what != "new" and change.path not in owned:
            _check_generated(folder, change.path)
    changes += [
        Change(path, "removed")
        for path in set(owned) - set(outputs)
        # Only files that a build writes are removed, whatever a list of generated files says.
        if _is_below(path) and registry.is_output_path(path) and os.path.lexists(_target(folder, path))
    ]
    changes += [Change(path, "removed") for path in _left_temporary(folder, {*outputs, *owned})]
    return sorted(changes)


def unknown_files(
    outputs: Collection[str], folder: Path, *, owned: Collection[str] = (), is_reports: bool = True
) -> list[str]:
    """Return the files, relative to the folder, that readers would take for generated ones, by path.

    is_reports  whether the folder contains nothing but reports: then a file with the path of an output
                (`h100/README.md`) is unknown in a folder without definition too

    A forge does not show hidden files, so they are not looked at.
    """
    names = {path.partition("/")[0] for path in outputs if "/" in path}
    there = {file for name in names for file in _visible_files(folder / name)}
    if is_reports:
        there |= {file for pattern in registry.report_patterns() for file in folder.glob(f"*/{pattern}")}
    paths = {file.relative_to(folder).as_posix() for file in there}
    known = {*outputs, *owned, *registry.shared_paths()}
    return sorted(path for path in paths - known if not path.startswith("."))


def _visible_files(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        links = [name for name in folders if Path(place, name).is_symlink()]
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(place, name) for name in (*files, *links) if not name.startswith("."))


def apply(outputs: Mapping[str, bytes], folder: Path, *, owned: Collection[str] = ()) -> list[Change]:
    """Bring the folder up to date and return what changed; unchanged files are not touched.

    Raises RequestError if a file cannot be written; all old files are then intact.
    """
    with _alone(folder):
        return _apply(outputs, folder, owned)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other build replaces files in the folder; the system unlocks it if a build is killed."""
    handle = None
    try:
        with suppress(OSError):  # a new folder, or one on a network that cannot be locked
            handle = os.open(folder, os.O_RDONLY)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _apply(outputs: Mapping[str, bytes], folder: Path, owned: Collection[str]) -> list[Change]:
    changes = compare(outputs, folder, owned=owned)
    written = [change.path for change in changes if change.what != "removed"]
    temporary = {path: _temporary(folder, path) for path in written}
    try:
        for path in written:
            _write(temporary[path], _target(folder, path), pieces_of(outputs, path))
        _keep_edited(folder, changes)
        removed = [change.path for change in changes if change.what == "removed"]
        if len(changes) > 1:
            _write_journal(folder, written, [path for path in removed if registry.is_output_path(path)])
        _replace(folder, temporary, removed)
    except OSError as error:
        targets = {str(file): str(_target(folder, path)) for path, file in temporary.items()}
        named = str(error.filename or folder)
        fact = f"cannot be written: {error.strerror}"
        raise RequestError(targets.get(named, named), fact, _remedy(error.errno)) from error
    finally:
        for left in (*temporary.values(), folder / _JOURNAL):
            with suppress(OSError):  # the first error is the one to report
                left.unlink()
    return changes


def _replace(folder: Path, temporary: Mapping[str, Path], removed: Collection[str]) -> None:
    """Replace files by their temporary ones, remove others, and then replace the lists of generated files.

    In this order, a build that is interrupted does not lose track of a file.
    """
    listings = [path for path in temporary if registry.is_listing(path)]
    for path in temporary:
        if path not in listings:
            temporary[path].replace(_target(folder, path))
    _remove_orphans(folder, removed)
    for path in listings:
        temporary[path].replace(_target(folder, path))


def _write_journal(folder: Path, written: Sequence[str], removed: Sequence[str]) -> None:
    lines = [str(os.getpid()), *(f"+{path}" for path in written), *(f"-{path}" for path in removed)]
    journal = folder / _JOURNAL
    temporary = _temporary(folder, _JOURNAL)
    _write(temporary, journal, ["\n".join(lines).encode()])
    temporary.replace(journal)


def finish_killed(folder: Path) -> None:
    """Complete the replacement of files in which a build was killed; does nothing if there was none.

    The journal may come from anywhere, so it can do no more than a build: it replaces generated files by
    files that look like temporary ones, and removes those that earlier builds list.
    """
    with _alone(folder):
        try:
            process, *lines = (folder / _JOURNAL).read_text().split("\n")
        except (OSError, UnicodeDecodeError):  # no journal, or none of ours
            return
        paths = [line[1:] for line in lines]
        is_ours = process.isdecimal() and all(
            _is_below(path) and registry.is_output_path(path) for path in paths
        )
        if not is_ours or _is_running(int(process)):
            return
        owned = owned_files(folder)
        written = [line[1:] for line in lines if line.startswith("+")]
        left = {
            path: _target(folder, path).with_name(f".{Path(path).name}.{process}.new") for path in written
        }
        left = {path: file for path, file in left.items() if file.is_file() and not file.is_symlink()}
        for path in left:
            if path not in owned and os.path.lexists(folder / path):
                _check_generated(folder, path)
        try:
            _replace(folder, left, [line[1:] for line in lines if line.startswith("-") and line[1:] in owned])
            (folder / _JOURNAL).unlink()
        except OSError as error:
            fact = f"cannot be completed after a killed build: {error.strerror}"
            raise RequestError(str(folder), fact, _remedy(error.errno)) from error


def create(outputs: Mapping[str, bytes], folder: Path) -> list[str]:
    """Write the files that do not exist yet and return their paths; existing files are never touched."""
    new = {path: content for path, content in outputs.items() if not os.path.lexists(_target(folder, path))}
    return [change.path for change in apply(new, folder)]


def extend(outputs: Mapping[str, bytes], folder: Path) -> list[str]:
    """Write the files whose new content begins with the old one, and return their paths."""
    more = [path for path, new in outputs.items() if new.startswith(_target(folder, path).read_bytes())]
    for path in more:
        temporary, target = _temporary(folder, path), _target(folder, path)
        _write(temporary, target, pieces_of(outputs, path))
        temporary.replace(target)
    return more


@contextmanager
def temporary_folder(files: Mapping[str, bytes]) -> Iterator[Path]:
    """Write files to a temporary folder, and remove it at the end."""
    with TemporaryDirectory(prefix="reportgen-") as place:
        folder = Path(place).resolve()
        for path, content in files.items():
            target = _target(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        yield folder


def set_git_options(root: Path, options: Mapping[str, str]) -> Iterator[str]:
    """Set options of git for this clone, and yield their names; those that are set already are kept."""
    git = ["git", "-C", str(root), "config", "--local"]
    for name, value in options.items():
        is_set = subprocess.run([*git, "--get", name], capture_output=True, check=False).returncode == 0
        if (
            not is_set
            and subprocess.run([*git, name, value], capture_output=True, check=False).returncode == 0
        ):
            yield name


def read_generated(folder: Path, path: str) -> bytes | None:
    """Return a file of an earlier build, None if there is none; symbolic links are not followed."""
    target = folder / path
    return target.read_bytes() if target.is_file() and not target.is_symlink() else None


def side_files(folder: Path, digests: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files in a folder that have these SHA-256 digests, by path; others are left out."""
    files = {}
    for path, digest in digests.items():
        content = read_generated(folder, path) if _is_below(path) and registry.is_output_path(path) else None
        if content is not None and sha256(content).hexdigest() == digest:
            files[path] = content
    return files


def changed_lines(outputs: Mapping[str, bytes], folder: Path, prefix: str = "") -> Iterator[str]:
    """Yield the lines that `apply` would change, in Markdown, as a unified diff.

    prefix  of the paths in the heads of the diff
    """
    for path in sorted(path for path in outputs if path.endswith(_REVIEWED_ENDING)):
        old, content = read_generated(folder, path), outputs[path]
        if old == content:
            continue
        before, after = ((each or b"").decode("utf-8", "replace").splitlines() for each in (old, content))
        yield from unified_diff(before, after, f"a/{prefix}{path}", f"b/{prefix}{path}", n=0, lineterm="")


def owned_files(folder: Path) -> frozenset[str]:
    """Return the files, relative to the folder of all reports, that earlier builds list as generated.

    Each report has a file with such a list. If a merge left two lists in it, the list of the
    current branch counts. A list that cannot be read owns nothing, so nothing is removed.
    """
    owned: set[str] = set()
    for file in sorted(folder.glob("*/*")):
        path = file.relative_to(folder).as_posix()
        if registry.is_listing(path) and file.is_file():
            with suppress(OSError):
                listing = _without_conflicts(file.read_bytes())
                owned.update(f"{file.parent.name}/{name}" for name in registry.listed(path, listing))
    return frozenset(owned)


def _without_conflicts(content: bytes) -> bytes:
    """Return a file as the current branch has it, if a merge left the lines of two branches in it."""
    kept, is_ours = [], True
    for line in content.splitlines(keepends=True):
        if line[:7] in (*_OURS_FOLLOW, *_OTHERS_FOLLOW):
            is_ours = line[:7] in _OURS_FOLLOW
        elif is_ours:
            kept.append(line)
    return b"".join(kept)


def _remedy(number: int | None) -> str:
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "make its folder writable"
    if number in (errno.ENOSPC, errno.EDQUOT):
        return "free some disk space; the files of the previous build are intact"
    return ""


def _is_below(path: str) -> bool:
    pure = PurePosixPath(path)
    return path == str(pure) and path != "." and not pure.is_absolute() and ".." not in pure.parts


def _target(folder: Path, path: str) -> Path:
    """Return the path of a file; RequestError if a folder on the way is a symbolic link or a file."""
    assert _is_below(path), path  # the outputs make the paths
    target = folder / path
    for parent in target.relative_to(folder).parents:
        if (folder / parent).is_symlink() and parent != Path():
            raise RequestError(str(folder / parent), "is a symbolic link", "replace it with a folder")
        if (folder / parent).is_file():
            raise RequestError(str(folder / parent), "is a file, but a folder is needed here", "move it")
    return target


def _difference(target: Path, path: str, outputs: Mapping[str, bytes]) -> What | None:
    if target.is_symlink() or not target.is_file():
        return "changed" if os.path.lexists(target) else "new"
    if _has_content(target, pieces_of(outputs, path)):
        return None
    old = target.read_bytes()
    if _CONFLICT.search(old):
        return "conflict"
    return "changed" if registry.is_intact(path, old) else "edited"


def _has_content(target: Path, pieces: Iterable[bytes]) -> bool:
    with target.open("rb") as file:
        return all(file.read(len(piece)) == piece for piece in pieces) and not file.read(1)


def _copy_name(folder: Path, path: str) -> str:
    """Return the name of the copy of an edited file, which depends on its text: no copy replaces another."""
    if not registry.keeps_edited(path):
        return ""
    target = folder / path
    return f".{target.name}.{sha256(target.read_bytes()).hexdigest()[:8]}.edited"


def _keep_edited(folder: Path, changes: Collection[Change]) -> None:
    """Copy the edited files that will be replaced and whose text a user may want."""
    for change in changes:
        if change.kept:
            target = _target(folder, change.path)
            target.with_name(change.kept).write_bytes(target.read_bytes())


def _check_generated(folder: Path, path: str) -> None:
    """Raise RequestError unless the file carries the mark of generated files."""
    target = folder / path
    is_file = target.is_file() and not target.is_symlink()
    if not is_file or not registry.is_generated(path, target.read_bytes()):
        raise RequestError(
            str(target),
            "was not generated by reportgen and would be overwritten",
            "move it, or build into another folder with --out DIR",
        )


def _left_temporary(folder: Path, paths: Collection[str]) -> list[str]:
    """Return the temporary files of builds that no longer run, beside and for the files of these paths."""
    left = []
    for parent in {str(PurePosixPath(path).parent) for path in paths if _is_below(path)}:
        for file in (folder / parent).glob(".*.new"):
            name = _TEMPORARY.fullmatch(file.name)
            if (
                name
                and (PurePosixPath(parent) / name[1]).as_posix() in paths
                and not _is_running(int(name[2]))
            ):
                left.append((PurePosixPath(parent) / file.name).as_posix())
    return left


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # of another user
    return True


def _temporary(folder: Path, path: str) -> Path:
    target = _target(folder, path)
    return target.with_name(f".{target.name}.{os.getpid()}.new")


def _write(temporary: Path, target: Path, pieces: Iterable[bytes]) -> None:
    """Write and flush a content in pieces, with the permissions of the file that it will replace."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary.unlink(missing_ok=True)  # left by a build that was killed
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    with os.fdopen(handle, "wb") as file:
        if target.is_file() and not target.is_symlink():
            os.fchmod(handle, stat.S_IMODE(target.stat().st_mode))
        file.writelines(pieces)
        file.flush()
        os.fsync(handle)


def _remove_orphans(folder: Path, removed: Collection[str]) -> None:
    for path in removed:
        target = _target(folder, path)
        target.unlink(missing_ok=True)
        _remove_empty(target.parent, folder)


def _remove_empty(parent: Path, folder: Path) -> None:
    while parent != folder and parent.is_dir() and not any(parent.iterdir()):
        parent.rmdir()
        parent = parent.parent
