"""Reading a git repository: commits, files, merge bases, and names that try to be options."""

import os
from functools import partial
from pathlib import Path

import pytest

from reportgen.core.errors import RequestError
from reportgen.sources import git
from reportgen.sources.forges import commit_link, web_link
from reportgen.sources.git import (
    FileChange,
    FileVersion,
    GitCommit,
    GitRepository,
    find_repository,
    object_id,
    open_repository,
)
from tests.each_of import each_row
from tests.git_repository import ScratchRepository

HOSTILE_NAMES = ["-n", "--output=x", "a b", "ü.csv", "line\nbreak", "tab\t", ":(glob)*", '"quoted"', "*"]


@pytest.fixture
def scratch(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "repo")


def _open(scratch: ScratchRepository) -> GitRepository:
    return open_repository(scratch.root)


def test_the_root_is_found_from_a_folder_and_a_file(scratch: ScratchRepository) -> None:
    scratch.commit({"logs/a/run.csv": "1"})
    repository = open_repository(scratch.root / "logs" / "a" / "run.csv")
    assert repository.root == scratch.root.resolve()
    assert repository.path_of(scratch.root / "logs" / "a") == "logs/a"
    assert repository.path_of(scratch.root) == ""
    with pytest.raises(RequestError, match="is not in the repository"):
        repository.path_of(scratch.root.parent)


def test_a_file_is_read_at_a_commit(scratch: ScratchRepository) -> None:
    first = scratch.commit({"logs/a.csv": b"1\r\n\x00"})
    second = scratch.commit({"logs/a.csv": "2"})
    repository = _open(scratch)
    assert [repository.read(commit, "logs/a.csv") for commit in (first, second)] == [b"1\r\n\x00", b"2"]
    assert repository.read(first, "logs/b.csv") is None
    assert repository.read(first, "logs") is None


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_any_name_of_a_file_is_a_name(scratch: ScratchRepository, name: str) -> None:
    first = scratch.commit({name: "1", "other": "1"})
    second = scratch.commit({name: "2"})
    repository = _open(scratch)
    assert sorted(repository.list_files(first)) == sorted([name, "other"])
    assert list(repository.list_files(first, name)) == [name]
    assert repository.read(second, name) == b"2"
    versions = repository.file_versions([name])[name]
    assert [version.commit.hash for version in versions] == [second, first]
    assert repository.changed_files(first, second) == [FileChange(name, "edited")]
    assert repository.changed_files(first, second, name) == [FileChange(name, "edited")]
    (scratch.root / name).write_text("3", encoding="utf-8")
    assert repository.changed_files(second) == [FileChange(name, "edited")]


@pytest.mark.parametrize("revision", ["-n", "--output=x", "--all", "", "nothing", "HEAD^{tree}", "a\0b"])
def test_what_is_not_a_revision_is_refused(scratch: ScratchRepository, revision: str) -> None:
    scratch.commit({"a": "1"})
    with pytest.raises(RequestError, match="is not a commit of this repository"):
        _open(scratch).resolve(revision)
    assert sorted(path.name for path in scratch.root.iterdir()) == [".git", "a"]


def test_the_files_below_a_folder_are_listed_without_links(scratch: ScratchRepository) -> None:
    (scratch.root / "link").symlink_to("a")
    commit = scratch.commit({"logs/b": "", "logs/a": "", "logs2/c": ""})
    repository = _open(scratch)
    assert list(repository.list_files(commit, "logs")) == ["logs/a", "logs/b"]
    assert list(repository.list_files(commit, "logs/")) == ["logs/a", "logs/b"]
    assert list(repository.list_files(commit)) == ["logs/a", "logs/b", "logs2/c"]


def test_a_version_of_a_file_has_its_commit_and_its_content(scratch: ScratchRepository) -> None:
    first = GitCommit(scratch.commit({"a": "1"}, "add a\n\nbody"), "2024-03-01T12:00:00+00:00", "add a")
    second = GitCommit(scratch.commit({"b": "2"}, "b"), "2024-03-02T12:00:00+00:00", "b")
    (scratch.root / "a").unlink()
    third = GitCommit(
        scratch.commit({"b": "3", "c": ""}, ": remove"), "2024-03-03T12:00:00+00:00", ": remove"
    )
    name = partial(object_id, like=first.hash)
    assert _open(scratch).file_versions(["a", "b", "no such file"]) == {
        "a": [FileVersion(third, ""), FileVersion(first, name(b"1"))],
        "b": [FileVersion(third, name(b"3")), FileVersion(second, name(b"2"))],
    }


def test_many_contents_are_read_in_parts(scratch: ScratchRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "_MAX_ARGUMENTS", 2)
    commit = scratch.commit({f"logs/{n}.csv": str(n) * n for n in range(5)})
    assert list(_open(scratch).read_folder(commit, "logs").values()) == [b"", b"1", b"22", b"333", b"4444"]


def test_a_damaged_content_is_missing(scratch: ScratchRepository) -> None:
    commit = scratch.commit({"a.csv": "1", "b.csv": "2"})
    repository = _open(scratch)
    name = repository.list_files(commit)["b.csv"]
    stored = scratch.root / ".git" / "objects" / name[:2] / name[2:]
    stored.chmod(0o644)
    stored.write_bytes(b"damaged")
    with pytest.raises(RequestError, match="is missing in this clone"):
        repository.read_folder(commit, "")


def test_a_git_that_ends_too_early_says_why(
    scratch: ScratchRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = _open(scratch)
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho 1 blob 5\nprintf abc\necho fatal: no memory >&2\nexit 128\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    with pytest.raises(RequestError, match="git cat-file failed: no memory"):
        repository.read_objects(["1"])


def test_a_merge_is_a_version_if_it_has_a_content_of_its_own(scratch: ScratchRepository) -> None:
    scratch.commit({"a": "1", "b": "1"})
    scratch.git("checkout", "--quiet", "-b", "side")
    side = scratch.commit({"a": "2", "b": "2"})
    scratch.git("checkout", "--quiet", "main")
    scratch.commit({"a": "3"})
    scratch.git("merge", "--quiet", "--no-commit", "--strategy=ours", side)
    merge = scratch.commit({"a": "4", "b": "2"})
    versions = _open(scratch).file_versions(["a", "b"])
    assert (versions["a"][0].commit.hash, versions["a"][0].object) == (merge, object_id(b"4", merge))
    assert versions["b"][0].commit.hash == side


def test_files_that_differ_between_commits_and_in_the_working_tree(scratch: ScratchRepository) -> None:
    first = scratch.commit({"a": "1", "b": "1", "c": "1", ".gitignore": "*.tmp\n"})
    (scratch.root / "b").unlink()
    second = scratch.commit({"a": "2", "d": "1"})
    repository = _open(scratch)
    changes = [FileChange("a", "edited"), FileChange("b", "deleted"), FileChange("d", "added")]
    assert repository.changed_files(first, second) == changes
    (scratch.root / "c").touch()  # other times, same content
    (scratch.root / "e.tmp").write_text("ignored", encoding="utf-8")
    (scratch.root / "e").write_text("untracked", encoding="utf-8")
    assert repository.changed_files(first) == [*changes, FileChange("e", "added")]


def test_a_repository_without_commits(scratch: ScratchRepository) -> None:
    repository = _open(scratch)
    assert repository.head() is None
    assert repository.file_versions(["a"]) == {}


def test_the_merge_base_is_where_the_branch_began(scratch: ScratchRepository) -> None:
    first = scratch.commit({"a": "1"})
    scratch.git("checkout", "--quiet", "-b", "work")
    scratch.commit({"b": "1"})
    scratch.git("checkout", "--quiet", "main")
    tip = scratch.commit({"a": "2"})
    scratch.git("checkout", "--quiet", "work")
    base = _open(scratch).merge_base(environ={})
    assert (base.name, base.tip, base.commit) == ("main", tip, first)
    assert _open(scratch).merge_base("main~1").commit == first


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({"GITHUB_BASE_REF": "release"}, "origin/release"),
        ({"SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/release"}, "origin/release"),
        ({"GITHUB_BASE_REF": ""}, "origin/HEAD"),
    ],
)
def test_the_base_of_a_pull_request_is_named_by_the_ci(
    scratch: ScratchRepository, tmp_path: Path, variables: dict[str, str], name: str
) -> None:
    scratch.commit({"a": "1"})
    scratch.git("branch", "release")
    scratch.git("clone", "--quiet", str(scratch.root), str(tmp_path / "clone"))
    assert open_repository(tmp_path / "clone").merge_base(environ=variables).name == name


def test_a_base_that_is_not_there_names_the_remedy(scratch: ScratchRepository) -> None:
    scratch.commit({"a": "1"})
    with pytest.raises(
        RequestError, match=r"there is no origin/release; fetch it \(actions/checkout: fetch-depth: 0\)"
    ):
        _open(scratch).merge_base(environ={"GITHUB_BASE_REF": "release"})
    scratch.git("branch", "--move", "main", "trunk")
    with pytest.raises(RequestError, match=r"no origin/HEAD or .*; name one: reportgen diff BASE"):
        _open(scratch).merge_base(environ={})


def test_branches_without_a_common_commit_have_no_merge_base(scratch: ScratchRepository) -> None:
    tip = scratch.commit({"a": "1"})
    scratch.git("checkout", "--quiet", "--orphan", "other")
    scratch.commit({"b": "1"})
    base = _open(scratch).merge_base("main")
    assert (base.tip, base.commit) == (tip, None)


def test_a_shallow_clone_is_known_as_one(scratch: ScratchRepository, tmp_path: Path) -> None:
    first = scratch.commit({"a": "1"})
    scratch.commit({"a": "2"})
    scratch.git("clone", "--quiet", "--depth=1", f"file://{scratch.root}", str(tmp_path / "shallow"))
    shallow = open_repository(tmp_path / "shallow")
    assert (shallow.is_shallow(), _open(scratch).is_shallow()) == (True, False)
    with pytest.raises(RequestError, match="the clone is shallow: run git fetch --unshallow"):
        shallow.resolve(first)


def test_outside_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(RequestError, match="is not in a git repository; run git init"):
        open_repository(tmp_path)
    assert find_repository(tmp_path) is None


def test_without_git(scratch: ScratchRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(scratch.root))
    with pytest.raises(RequestError, match="git: is not installed; install git"):
        open_repository(scratch.root)


def test_variables_of_a_hook_lead_to_no_other_repository(
    scratch: ScratchRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = scratch.commit({"a": "1"})
    ScratchRepository(tmp_path / "other").commit({"b": "1"})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other" / ".git" / "index"))
    assert _open(scratch).head() == commit
    assert _open(scratch).changed_files(commit) == []


def test_programs_that_a_repository_configures_do_not_run(scratch: ScratchRepository, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/has-run\n", encoding="utf-8")
    program.chmod(0o755)
    first = scratch.commit({"a.csv": "1", ".gitattributes": "*.csv diff=x\n"})
    scratch.commit({"a.csv": "2"})
    for name in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "diff.x.textconv",
        "diff.x.command",
        "gpg.program",
    ):
        scratch.git("config", name, str(program))
    scratch.git("config", "log.showSignature", "true")
    (scratch.root / "a.csv").write_text("3", encoding="utf-8")
    repository = _open(scratch)
    repository.changed_files(first)
    repository.file_versions(["a.csv"])
    repository.read(first, "a.csv")
    assert not (tmp_path / "has-run").exists()


@each_row(
    [
        ("https://github.com/o/r.git", "https://github.com/o/r/blob/c0ffee/logs/a%20b.csv#L3"),
        ("https://user:secret@github.com/o/r", "https://github.com/o/r/blob/c0ffee/logs/a%20b.csv#L3"),
        ("git@github.com:o/r.git", "https://github.com/o/r/blob/c0ffee/logs/a%20b.csv#L3"),
        (
            "ssh://git@gitlab.example.org:2222/g/s/r.git",
            "https://gitlab.example.org/g/s/r/-/blob/c0ffee/logs/a%20b.csv#L3",
        ),
        ("https://codeberg.org/o/r", "https://codeberg.org/o/r/src/commit/c0ffee/logs/a%20b.csv#L3"),
        ("/srv/github/r.git", ""),
        ("file:///srv/github/r.git", ""),
        ("https://example.org/o/r", ""),
        ("https://github.com)[x](evil/o/r", ""),
        ("https://github.com:port/o/r", ""),
        ("", ""),
    ]
)
def test_a_line_of_a_file_has_a_page_on_known_forges(remote: str, page: str) -> None:
    assert web_link(remote, "c0ffee", "logs/a b.csv", 3) == page


@pytest.mark.parametrize(
    ("remote", "page"),
    [
        ("https://github.com/o/r.git", "https://github.com/o/r/commit/c0ffee"),
        ("https://gitlab.com/g/r.git", "https://gitlab.com/g/r/-/commit/c0ffee"),
        ("https://codeberg.org/o/r", "https://codeberg.org/o/r/commit/c0ffee"),
        ("/srv/r.git", ""),
    ],
)
def test_a_commit_has_a_page_on_known_forges(remote: str, page: str) -> None:
    assert commit_link(remote, "c0ffee") == page


def test_the_remote_of_a_repository(scratch: ScratchRepository) -> None:
    assert _open(scratch).remote_url() == ""
    scratch.git("remote", "add", "origin", "git@github.com:o/r.git")
    assert _open(scratch).remote_url() == "git@github.com:o/r.git"
