"""`reportgen init` in a git repository: workflow, attributes, ignored files; nothing existing is changed."""

import re
from pathlib import Path

import pytest
import yaml

from tests.cli.calling import call
from tests.diff.study import BASE, runs
from tests.git_repository import ScratchRepository
from tests.workflow.github import ACTION

FILES = [".gitattributes", ".github/workflows/reports.yml", ".gitignore"]


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScratchRepository:
    scratch = ScratchRepository(tmp_path / "repo")
    scratch.commit(runs("a", BASE))
    monkeypatch.chdir(scratch.root)
    return scratch


def test_a_repository_gets_a_workflow_attributes_and_ignored_files(scratch: ScratchRepository) -> None:
    out, err = call("init")
    assert [line.split()[1] for line in out.splitlines() if line.startswith("new")] == [
        *FILES,
        "reports/expected.toml",
        "reports/march.toml",
        "reports/reportgen.toml",
    ]
    assert (
        ".github/workflows/reports.yml: before the first push, replace OWNER/reportgen and COMMIT in it"
        in err
    )
    assert "before the first push" in call("init")[1]
    workflow = Path(".github/workflows/reports.yml")
    workflow.write_text(workflow.read_text().replace("OWNER/", "ada/"))
    assert "before the first push" not in call("init")[1]
    call("build")
    scratch.commit()
    attributes = scratch.git(
        "check-attr",
        "linguist-generated",
        "diff",
        "text",
        "--",
        *_paths("README.md", "report.json", "index.html"),
    )
    assert attributes.splitlines() == [
        "reports/march/README.md: linguist-generated: unspecified",
        "reports/march/README.md: diff: unspecified",
        "reports/march/README.md: text: unset",
        "reports/march/report.json: linguist-generated: set",
        "reports/march/report.json: diff: reportgen",
        "reports/march/report.json: text: unset",
        "reports/march/index.html: linguist-generated: set",
        "reports/march/index.html: diff: unspecified",
        "reports/march/index.html: text: unset",
    ]


def _paths(*names: str) -> list[str]:
    return [f"reports/march/{name}" for name in names]


def test_git_is_set_for_generated_files_once(scratch: ScratchRepository) -> None:
    names = ["diff.reportgen.textconv", "merge.reportgen.name", "merge.reportgen.driver"]
    out, _ = call("init")
    assert [line for line in out.splitlines() if line.startswith("set")] == [
        f"set      git config {n}" for n in names
    ]
    assert scratch.git("config", "diff.reportgen.textconv") == "reportgen diff --textconv"
    scratch.git("config", "diff.reportgen.textconv", "mine")
    assert call("init")[0] == ""
    assert scratch.git("config", "diff.reportgen.textconv") == "mine"


def test_the_workflow_uses_inputs_that_the_action_has(scratch: ScratchRepository) -> None:
    call("init", "results")
    text = Path(".github/workflows/reports.yml").read_text()
    workflow = yaml.safe_load(text)
    checkout, action = workflow["jobs"]["reports"]["steps"]
    assert re.fullmatch(r"actions/checkout@[0-9a-f]{40}", checkout["uses"])
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}
    defaults = {name: ACTION["inputs"][name]["default"] for name in ("fail-on", "threshold")}
    assert action["with"] == {"reports": "results", **defaults}
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}


def test_existing_files_are_kept_and_their_missing_lines_named(scratch: ScratchRepository) -> None:
    for name in FILES:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("mine\n")
    out, err = call("init")
    assert not any(name in out for name in FILES)
    assert [Path(name).read_text() for name in FILES] == ["mine\n"] * 3
    missing = (
        ".*.new",
        ".*.edited",
        "reports/*/tables/*.csv",
        "reports/*/steps/",
        "reports/*/history.js",
        "reports/*/evidence/",
        "reports/assets/vega.js",
    )
    assert f".gitignore exists; to be added: {', '.join(missing)}\n" in err
    assert ".gitattributes exists; to be added: logs/** -text, reports/** -text, reports/README.md" in err
    assert "before the first push" not in err


def test_a_gitlab_repository_gets_a_gitlab_job(scratch: ScratchRepository) -> None:
    scratch.git("remote", "add", "origin", "https://gitlab.example.org/a/b.git")
    assert "new      .gitlab-ci.yml" in call("init")[0]
    job = yaml.safe_load(Path(".gitlab-ci.yml").read_text())["reports"]
    assert "reportgen check reports" in job["script"]
    assert not Path(".github").exists()
    Path(".gitlab-ci.yml").write_text("stages: []\n")
    assert ".gitlab-ci.yml exists; " in call("init")[1]
    assert Path(".gitlab-ci.yml").read_text() == "stages: []\n"


@pytest.mark.parametrize("folder", ["study", "."])
def test_a_folder_that_is_not_the_top_of_a_repository_gets_definitions_only(
    tmp_path: Path, scratch: ScratchRepository, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    place = scratch.root / "study" if folder == "study" else tmp_path / "elsewhere"
    place.mkdir()
    monkeypatch.chdir(place)
    call("init")
    assert sorted(path.name for path in place.iterdir()) == ["reports"]
