"""The files that `reportgen init` writes for the repository: a workflow, .gitattributes and .gitignore.

They are written only where the folder is the top of a git repository. An existing file is kept, and a remark
says which lines it lacks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from reportgen.sources.git import find_repository

# How `git diff` shows a report.json; the attribute `diff=reportgen` of .gitattributes asks for it.
DIFF_DRIVER = ("diff.reportgen.textconv", "reportgen diff --textconv")

_ATTRIBUTES = """\
# The bytes of logs and reports are what checksums compare: no conversion of line ends.
logs/** -text
{reports}/** -text
# A forge shows the Markdown and CSV of reports, and folds away what people do not review.
{reports}/assets/page.* linguist-generated
{reports}/index.html linguist-generated
{reports}/*/index.html linguist-generated
{reports}/*/report.json linguist-generated diff=reportgen
{reports}/*/figures/*.svg linguist-generated
"""

_IGNORE = """\
# Temporary files of a build that was killed, and edited pages that a build replaced.
.*.new
.*.edited
# What each clone builds for itself: steps of runs, and the library that draws charts.
{reports}/*/steps/
{reports}/assets/vega.js
"""

_GITHUB = """\
# Checks the reports of each push and pull request, and keeps one comment on what a pull request changes.
name: reports
on:
  push:
    branches: [main, master]
  pull_request:
permissions:
  contents: read
  pull-requests: write    # the comment; a pull request from a fork has the job summary instead
concurrency:
  group: reports-${{{{ github.ref }}}}
  cancel-in-progress: true
jobs:
  reports:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0    # the history up to the merge base
      - uses: OWNER/reportgen@main    # the repository of reportgen, or your copy of it
        with:
          reports: {reports}
          # fail-on: slower,invalid,edited
          # threshold: 2%
"""

_GITLAB = """\
# Checks the reports of each merge request, and says what it changes.
reports:
  image: python:3.12
  variables:
    GIT_DEPTH: "0"    # the history up to the merge base
    TARGET: $CI_MERGE_REQUEST_TARGET_BRANCH_NAME
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  script:
    # the address of reportgen, or of your copy
    - pip install --quiet git+https://example.org/reportgen.git@main
    - git fetch --quiet origin "+refs/heads/$TARGET:refs/remotes/origin/$TARGET"
    - reportgen diff --reports {reports} --format markdown > comparison.md
    - reportgen diff --reports {reports}
    - reportgen check {reports}
  artifacts:
    when: always
    paths: [comparison.md]
"""


@dataclass(frozen=True, slots=True)
class RepositoryFiles:
    """Files for a repository, path below its top -> content, and remarks on existing ones."""

    files: Mapping[str, bytes]
    remarks: tuple[str, ...] = ()


def propose_repository_files(reports: str, root: Path) -> RepositoryFiles:
    """Return the files for the repository whose top is the root; none if it is not the top of one.

    reports  name of the reports folder
    """
    repository = find_repository(root)
    if repository is None or repository.root != root.resolve():
        return RepositoryFiles({})
    is_gitlab = (root / ".gitlab-ci.yml").exists() or "gitlab" in repository.remote_url()
    workflow = (".gitlab-ci.yml", _GITLAB) if is_gitlab else (".github/workflows/reports.yml", _GITHUB)
    templates = dict([workflow, (".gitattributes", _ATTRIBUTES), (".gitignore", _IGNORE)])
    texts = {path: template.format(reports=reports) for path, template in templates.items()}
    remarks = [*_missing_lines(root, texts), *_address(root, workflow[0])]
    return RepositoryFiles({path: text.encode() for path, text in texts.items()}, tuple(remarks))


def _missing_lines(root: Path, texts: Mapping[str, str]) -> Iterator[str]:
    for path in (".gitattributes", ".gitignore"):
        if not (root / path).is_file():
            continue
        present = set((root / path).read_text("utf-8", "replace").splitlines())
        missing = [line for line in texts[path].splitlines() if line not in present and line[:1] != "#"]
        if missing:
            yield f"{path} exists; to be added: {', '.join(missing)}"
    if ".gitlab-ci.yml" in texts and (root / ".gitlab-ci.yml").exists():
        yield ".gitlab-ci.yml exists; docs/how-to/check-in-ci.md of reportgen has the job"


def _address(root: Path, workflow: str) -> Iterator[str]:
    if not (root / workflow).exists():
        yield f"{workflow}: put the address of reportgen into it"
