"""The files that `reportgen init` writes for the repository: a workflow, .gitattributes and .gitignore.

They are written only where the folder is the top of a git repository. An existing file is kept, and a remark
says which lines it lacks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from reportgen.sources.git import find_repository

# How git treats generated files in a clone; the attributes diff=reportgen and merge=reportgen ask for it.
# `git diff` shows a report.json as a list of its numbers. A merge keeps the generated file of the current
# branch instead of lines of both. It cannot build: git runs the driver before it writes the logs of the other
# branch. git replaces %P by the path, in quotes.
GIT_OPTIONS = {
    "diff.reportgen.textconv": "reportgen diff --textconv",
    "merge.reportgen.name": "keep this branch's generated file until the next build",
    "merge.reportgen.driver": "echo after the merge, run reportgen build: %P >&2",
}
_PLACEHOLDER = "OWNER/reportgen"

_ATTRIBUTES = """\
# The bytes of logs and reports are what checksums compare: no conversion of line ends.
logs/** -text
{reports}/** -text
# A forge shows the Markdown of reports, and folds away what people do not review.
# Two branches that add logs change the same lines of generated files: a merge keeps one side, until a build.
{reports}/README.md merge=reportgen
{reports}/index.html linguist-generated merge=reportgen
{reports}/assets/page.* linguist-generated merge=reportgen
{reports}/*/README.md merge=reportgen
{reports}/*/index.html linguist-generated merge=reportgen
{reports}/*/report.json linguist-generated diff=reportgen merge=reportgen
{reports}/*/acceptance.csv merge=reportgen
{reports}/*/tables/*.md merge=reportgen
{reports}/*/figures/*.svg linguist-generated merge=reportgen
"""

_IGNORE = """\
# Temporary files of a build that was killed, and edited pages that a build replaced.
.*.new
.*.edited
# What each clone builds for itself: CSV, steps, histories, evidence of large reports, the library of charts.
{reports}/*/tables/*.csv
{reports}/*/steps/
{reports}/*/history.js
{reports}/*/evidence/
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
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with:
          fetch-depth: 0 # the history up to the merge base
          persist-credentials: false
      # Before the first push: the repository of reportgen, or your copy, and a commit of it (40 digits).
      - uses: OWNER/reportgen@COMMIT
        with:
          reports: {reports}
          fail-on: slower,not-comparable,invalid,edited,gone,protocol,acceptance
          threshold: 2%
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
    # Before the first push: the address of reportgen, or of your copy, and a commit of it (40 digits).
    - python -I -m pip install --quiet git+https://example.org/OWNER/reportgen.git@COMMIT
    - git fetch --quiet origin "+refs/heads/$TARGET:refs/remotes/origin/$TARGET"
    - reportgen diff --reports {reports} --format markdown > comparison.md
    - reportgen check {reports}
    - >-
      reportgen diff --reports {reports} --threshold 2%
      --fail-on slower,not-comparable,invalid,edited,gone,protocol,acceptance
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
    remarks = [*_missing_lines(root, texts), *_address(root / workflow[0], *workflow)]
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


def _address(file: Path, path: str, template: str) -> Iterator[str]:
    """Yield a remark if the workflow, an existing or a new one, does not name a repository of reportgen."""
    text = file.read_text("utf-8", "replace") if file.is_file() else template
    if _PLACEHOLDER in text:
        yield (
            f"{path}: before the first push, replace {_PLACEHOLDER} and COMMIT in it by the repository of "
            "reportgen, or your copy, and a commit of it"
        )
