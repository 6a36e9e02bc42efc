"""Read a git repository: commits, files at a commit, the merge base. Nothing is ever changed or fetched.

Runs the installed `git`, which knows every kind of repository (worktrees, alternates, sparse checkouts).
Neither hooks nor programs that a repository configures run, nothing is asked on the terminal, and paths are
exchanged with NUL between them, so any name is safe. Revisions and paths that begin with "-" cannot become
options. A commit is always its full hash; `resolve` makes one of what a user wrote.
"""

import hashlib
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Literal

from reportgen.core.errors import RequestError
from reportgen.sources.filesystem import printable

ChangeKind = Literal["added", "deleted", "edited"]

# Overrides for settings with which a repository could run programs, or change what git prints.
_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.pager=cat",
    "log.showSignature=false",
    "diff.renames=false",
    "submodule.recurse=false",
)
# Variables that find the configuration of the user and the machine, in which unsafe folders are allowed.
_KEPT_VARIABLES = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES")
_VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C",
}

# Variables in which CI systems name the branch that a pull request goes to.
CI_VARIABLES = (
    "GITHUB_BASE_REF",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "SYSTEM_PULLREQUEST_TARGETBRANCH",
    "CHANGE_TARGET",
)
_DEFAULT_BASES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
# Paths in one command line.
_MAX_ARGUMENTS = 200
# git's answer if a command found nothing.
_NOTHING = 1


@dataclass(frozen=True, slots=True)
class GitCommit:
    """A commit. date: of the author, ISO 8601 with offset; subject: the first line of the message."""

    hash: str
    date: str
    subject: str


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A file as a commit left it. object: the id of its content, "" if the commit removed the file."""

    commit: GitCommit
    object: str


@dataclass(frozen=True, slots=True, order=True)
class FileChange:
    """A file that differs between two commits; a renamed file is a deleted and an added one."""

    path: str
    kind: ChangeKind


@dataclass(frozen=True, slots=True)
class MergeBase:
    """The commit that a branch is compared with.

    name    the branch, tag or commit as the user, the CI or the default names it
    tip     its commit
    commit  the last commit that it shares with HEAD; None if they share none, or if the clone is too shallow
    """

    name: str
    tip: str
    commit: str | None


@dataclass(frozen=True, slots=True)
class GitRepository:
    """A repository on disk. root: the folder of its working tree; all paths are relative to it, POSIX."""

    root: Path

    def path_of(self, place: Path) -> str:
        """Return the path of a file or folder of the working tree; "" is the root."""
        try:
            path = place.resolve().relative_to(self.root).as_posix()
        except ValueError:
            raise RequestError(
                str(place), f"is not in the repository {self.root}", "check the path"
            ) from None
        return "" if path == "." else path

    def resolve(self, revision: str) -> str:
        """Return the commit of a branch, tag, hash or expression like HEAD~1. Raises RequestError."""
        commit = self.find_commit(revision)
        if commit is None:
            fetch = "; the clone is shallow: run git fetch --unshallow" if self.is_shallow() else ""
            raise RequestError(
                printable(revision), "is not a commit of this repository", f"check the name{fetch}"
            )
        return commit

    def find_commit(self, revision: str) -> str | None:
        """Return the commit of a revision, None if there is none."""
        if not revision or revision.startswith("-") or "\0" in revision:
            return None
        name = f"{revision}^{{commit}}"
        return self._text("rev-parse", "--verify", "--quiet", "--end-of-options", name).strip() or None

    def head(self) -> str | None:
        """Return the commit that is checked out, None before the first commit."""
        return self.find_commit("HEAD")

    def is_shallow(self) -> bool:
        """Return whether old commits are missing in this clone."""
        return self._text("rev-parse", "--is-shallow-repository").strip() == "true"

    def merge_base(self, base: str = "", environ: Mapping[str, str] | None = None) -> MergeBase:
        """Return what HEAD is compared with.

        base     a revision; by default the branch that CI variables name, else the default branch
        environ  the environment variables, by default those of this process
        raises   RequestError if there is no such revision
        """
        name, tip = (
            (base, self.resolve(base))
            if base
            else self._default_base(os.environ if environ is None else environ)
        )
        commit = self._text("merge-base", tip, "HEAD", allowed=(_NOTHING, 128)).strip()
        return MergeBase(name, tip, commit or None)

    def _default_base(self, environ: Mapping[str, str]) -> tuple[str, str]:
        branches = [environ[name].removeprefix("refs/heads/") for name in CI_VARIABLES if environ.get(name)]
        names = [f"origin/{branch}" for branch in branches]
        for name in names or _DEFAULT_BASES:
            tip = self.find_commit(name)
            if tip:
                return name, tip
        fetch = "fetch it (actions/checkout: fetch-depth: 0)" if names else "name one: reportgen diff BASE"
        raise RequestError("base", f"there is no {' or '.join(names or _DEFAULT_BASES)}", fetch)

    def list_files(self, commit: str, folder: str = "") -> dict[str, str]:
        """Return path -> object id of the regular files at or below a path at a commit, sorted by path."""
        prefix = folder.rstrip("/")
        listed = self._output(
            "ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit, *([prefix] if prefix else [])
        )
        files = {}
        for entry in _split(listed):
            facts, _, path = entry.partition("\t")
            mode, kind, name = facts.split(" ")
            if kind == "blob" and mode.startswith("100"):
                files[path] = name
        return dict(sorted(files.items()))

    def read(self, commit: str, path: str) -> bytes | None:
        """Return the content of a file at a commit, None if there is no such file."""
        name = self.list_files(commit, path).get(path) if path else None
        return None if name is None else self.read_objects([name])[name]

    def read_folder(self, commit: str, folder: str, beside: str = "") -> dict[str, bytes]:
        """Return path -> content of the files at or below a path at a commit.

        beside  a file name; files of that name in the folders above are read too
        """
        files = self.list_files(commit, folder)
        above = ["", *accumulate(folder.split("/")[:-1], "{}/{}".format)] if beside and folder else []
        for parent in above:
            files |= self.list_files(commit, f"{parent}/{beside}".lstrip("/"))
        contents = self.read_objects(files.values())
        return {path: contents[name] for path, name in files.items()}

    def read_objects(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return object id -> content for ids of `list_files`."""
        wanted = list(dict.fromkeys(names))
        return dict(zip(wanted, self.iterate_objects(wanted), strict=True))

    def iterate_objects(self, names: Sequence[str]) -> Iterator[bytes]:
        """Yield the contents for ids of `list_files`, in their order; only one is in memory at a time."""
        for start in range(0, len(names), _MAX_ARGUMENTS):
            part = names[start : start + _MAX_ARGUMENTS]
            with _start_git(self.root, ["cat-file", "--batch"]) as process:
                assert process.stdin
                assert process.stdout
                assert process.stderr
                # So much fits into a pipe, so neither waits for the other.
                with suppress(BrokenPipeError), process.stdin:
                    process.stdin.write("".join(f"{name}\n" for name in part).encode())
                for name in part:
                    *_, kind, size = [b"", *process.stdout.readline().split(b" ")]
                    if kind and kind != b"blob":
                        raise RequestError(name, "is missing in this clone", "fetch it: git fetch --refetch")
                    content = process.stdout.read(int(size or 0))
                    if process.stdout.read(1) != b"\n":
                        raise _error(self.root, "cat-file", process.stderr.read().decode("utf-8", "replace"))
                    yield content

    def file_versions(self, paths: Sequence[str]) -> dict[str, list[FileVersion]]:
        """Return what the commits up to HEAD made of each file, the newest first; one process reads all."""
        start = self.find_commit("HEAD") if paths else None
        if start is None:
            return {}
        # -c: a merge counts where it has another content than each of its parents.
        options = ["-z", "-c", "--raw", "--no-abbrev", "--no-renames", "--no-show-signature"]
        output = self._output("log", *options, "--format=%H%n%aI%n%s", start, "--", *paths)
        versions: dict[str, list[FileVersion]] = {}
        fields = iter(_split(output))
        commit = None
        for field in fields:
            entry = field.removeprefix("\n")
            if entry.startswith(":"):
                assert commit is not None
                name = entry.split(" ")[-2]
                version = FileVersion(commit, name if name.strip("0") else "")
                versions.setdefault(next(fields), []).append(version)
            elif entry:
                commit = GitCommit(*entry.split("\n", 2))
        return versions

    def changed_files(self, old: str, new: str | None = None, folder: str = "") -> list[FileChange]:
        """Return the files at or below a path that differ between two commits, by path.

        new  None is the working tree, with the files that git neither tracks nor ignores
        """
        paths = [folder.rstrip("/")] if folder.strip("/") else []
        options = ["-r", "-z", "--name-status", "--no-renames", "--no-ext-diff", "--no-textconv"]
        commits = ["--end-of-options", old, *([new] if new else [])]
        command = ["diff-tree" if new else "diff-index", *options, *commits]
        fields = _split(self._output(*command, "--", *paths))
        kinds: Mapping[str, ChangeKind] = {"A": "added", "D": "deleted"}
        changes = {
            path: kinds.get(status, "edited") for status, path in zip(fields[::2], fields[1::2], strict=True)
        }
        if new is None:
            changes = self._really_changed(old, changes, paths)
        return sorted(FileChange(path, kind) for path, kind in changes.items())

    def _really_changed(
        self, old: str, changes: Mapping[str, ChangeKind], paths: Sequence[str]
    ) -> dict[str, ChangeKind]:
        """Return the changes of the working tree: untracked files too, files that were only touched not."""
        kept = dict(changes)
        for path in self._only_touched(old, [path for path, kind in changes.items() if kind == "edited"]):
            del kept[path]
        untracked = _split(self._output("ls-files", "-z", "--others", "--exclude-standard", "--", *paths))
        return kept | dict.fromkeys(untracked, "added")

    def _only_touched(self, old: str, paths: Sequence[str]) -> Iterator[str]:
        files = [
            path for path in paths if (self.root / path).is_file() and not (self.root / path).is_symlink()
        ]
        if not files:
            return
        before = self.list_files(old)
        for start in range(0, len(files), _MAX_ARGUMENTS):
            part = files[start : start + _MAX_ARGUMENTS]
            now = self._text("hash-object", "--", *part).split()
            yield from (path for path, name in zip(part, now, strict=True) if before.get(path) == name)

    def remote_url(self) -> str:
        """Return the URL of the remote "origin", "" without one."""
        return self._text("config", "--get", "remote.origin.url", allowed=(_NOTHING,)).strip()

    def _text(self, *arguments: str, allowed: Sequence[int] = (_NOTHING,)) -> str:
        return self._output(*arguments, allowed=allowed).decode("utf-8", "surrogateescape")

    def _output(self, *arguments: str, allowed: Sequence[int] = ()) -> bytes:
        return _run_git(self.root, arguments, allowed=allowed)


def open_repository(place: Path) -> GitRepository:
    """Return the repository that a file or folder is in.

    Raises RequestError without git, outside a working tree, or if the folder belongs to another user.
    """
    folder = place if place.is_dir() else place.parent
    top = _run_git(folder, ("rev-parse", "--show-toplevel"))
    return GitRepository(Path(os.fsdecode(top.removesuffix(b"\n"))).resolve())


def object_id(content: bytes, like: str) -> str:
    """Return the id that git gives a file with this content. like: an id of the same repository."""
    name = "sha1" if len(like) == 40 else "sha256"
    return hashlib.new(name, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def find_repository(place: Path) -> GitRepository | None:
    """Return the repository that a place is in, None if there is none or git cannot read it."""
    try:
        return open_repository(place)
    except RequestError:
        return None


def _run_git(folder: Path, arguments: Sequence[str], *, allowed: Sequence[int] = ()) -> bytes:
    """Return what git prints. allowed: exit codes besides 0 whose output is the answer."""
    with _start_git(folder, arguments) as process:
        output, errors = process.communicate()
    if process.returncode == 0 or process.returncode in allowed:
        return output
    raise _error(folder, arguments[0], errors.decode("utf-8", "replace"))


def _start_git(folder: Path, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    command = ["git", "--no-pager", "--no-replace-objects", *settings, *arguments]
    environment = {name: value for name, value in os.environ.items() if _is_kept(name)} | _VARIABLES
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe)
    except OSError as error:
        if not folder.is_dir():
            raise RequestError(str(folder), "no such folder", "check the path") from error
        raise RequestError("git", "is not installed", "install git, version 2.30 or newer") from error


def _is_kept(name: str) -> bool:
    return not name.startswith("GIT_") or name.startswith("GIT_CONFIG_") or name in _KEPT_VARIABLES


def _error(folder: Path, command: str, message: str) -> RequestError:
    """Return the error for what git said, with the remedy if the cause is a known one."""
    if "not a git repository" in message:
        return RequestError(str(folder), "is not in a git repository", "run git init, or name another folder")
    if "dubious ownership" in message or "unsafe repository" in message:
        remedy = f"run: git config --global --add safe.directory {folder}"
        return RequestError(str(folder), "belongs to another user, so git does not read it", remedy)
    if "must be run in a work tree" in message:
        return RequestError(str(folder), "is a repository without working tree", "name a checkout")
    first = next((line for line in message.splitlines() if line.strip()), "no message")
    fact = f"git {command} failed: {printable(first.removeprefix('fatal: '))}"
    return RequestError(str(folder), fact, f"try it in a shell: git {command}")


def _split(output: bytes) -> list[str]:
    """Return the parts of an output that ends each part with NUL, or has NUL between them."""
    text = output.decode("utf-8", "surrogateescape")
    return text.removesuffix("\0").split("\0") if text else []
