"""A stand-in for GitHub's API on the loopback interface, and a runner for the steps of action.yml."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

from tests import warm

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
BOT = "github-actions[bot]"
REPOSITORY = "owner/benchmarks"
# The only way in which a step may start Python: nothing in the current folder or in variables is imported.
ISOLATED = "python -I"
_EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")


_MEASURING = ("Check", "Compare")


@dataclass
class FakeGitHub:
    """The comments of all issues. status: answered to everything that writes, if it is not 0."""

    status: int = 0
    comments: list[dict[str, Any]] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    url: str = ""

    def add(self, body: str, login: str = BOT) -> dict[str, Any]:
        """Add a comment of an account."""
        comment = {"id": len(self.comments) + 1, "body": body, "user": {"login": login}}
        self.comments.append(comment)
        return comment

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """Return status and content for a request to the API."""
        parts, query = urlsplit(path).path.split("/"), parse_qs(urlsplit(path).query)
        assert parts[1:4] == ["repos", *REPOSITORY.split("/")]
        if method == "GET":
            size, page = int(query["per_page"][0]), int(query["page"][0])
            return 200, self.comments[size * (page - 1) : size * page]
        self.writes.append(method)
        if self.status:
            return self.status, {"message": "Resource not accessible by integration"}
        if method == "POST":
            return 201, self.add(body["body"])
        (comment,) = [each for each in self.comments if each["id"] == int(parts[-1])]
        comment["body"] = body["body"]
        return 200, comment


@contextmanager
def running(github: FakeGitHub) -> Iterator[FakeGitHub]:
    """Serve the stand-in on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"null")
            status, content = github.answer(self.command, self.path, body)
            encoded = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        do_GET = do_POST = do_PATCH = _serve

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    github.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield github
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass(frozen=True)
class JobResult:
    """The outcome of a job: exit code of its first failed step, its log, its summary, its outputs, its pages."""

    code: int
    log: str
    summary: str
    outputs: dict[str, str]
    pages: Path


def run_action(
    checkout: Path,
    work: Path,
    github: FakeGitHub,
    *,
    pull_request: bool = True,
    results: Path | None = None,
    **inputs: str,
) -> JobResult:
    """Run the steps of action.yml that are scripts, as a runner does, in a checkout.

    The step that installs reportgen is left out, and `python -I -m reportgen` runs this source tree.

    results  what the steps Check and Compare of another job wrote, instead of these steps
    """
    work.mkdir(parents=True)
    event = {"pull_request": {"number": 7}} if pull_request else {}
    files = {name: work / name for name in ("event.json", "summary.md", "output.txt")}
    files["event.json"].write_text(json.dumps(event))
    variables = _variables(files, github) | environment(work, warm.program())
    variables["GITHUB_BASE_REF"] = "main" if pull_request else ""
    values = {name: str(each["default"]) for name, each in ACTION["inputs"].items()} | {"token": "secret"}
    values |= {name.replace("_", "-"): value for name, value in inputs.items()}
    if results:
        shutil.copytree(results, work / "temp" / "reportgen")
    log, code = "", 0
    for step in ACTION["runs"]["steps"]:
        if "run" not in step or step["name"] == "Install" or (results and step["name"] in _MEASURING):
            continue
        done = run_step(step, checkout, variables, values)
        log, code = log + done.stdout, done.returncode
        if code:
            break
    outputs = dict(line.split("=") for line in files["output.txt"].read_text().splitlines())
    summary = files["summary.md"].read_text()
    return JobResult(code, log, summary, outputs, work / "temp" / "reportgen" / "pages")


def run_step(
    step: dict[str, Any], checkout: Path, variables: dict[str, str], values: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a script of action.yml as a runner does. The values are the inputs and, if given, the action's path."""
    folder = step.get("working-directory", str(checkout)).replace(
        "${{ runner.temp }}", variables["RUNNER_TEMP"]
    )
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env=variables | {name: _evaluated(text, values) for name, text in step.get("env", {}).items()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def _evaluated(text: str, values: dict[str, str]) -> str:
    """Return a value of `env` with its expressions replaced; only what action.yml uses is known."""

    def value(match: re.Match[str]) -> str:
        name = match[1].removeprefix("inputs.")
        return values.get(name, str(ROOT)) if name == "github.action_path" else values[name]

    return _EXPRESSION.sub(value, text)


def environment(work: Path, reportgen: str) -> dict[str, str]:
    """Return the variables of a job, with a `python` whose `-I -m reportgen` is the given command."""
    python = work / "bin" / "python"
    python.parent.mkdir()
    python.write_text(
        f'#!/bin/sh\nif [ "$1 $2 $3" = "-I -m reportgen" ]; then\n  shift 3\n  exec {reportgen} "$@"\nfi\n'
        f'exec {shlex.quote(sys.executable)} "$@"\n'
    )
    python.chmod(0o755)
    (work / "temp").mkdir()
    return {
        "PATH": f"{python.parent}:{os.environ['PATH']}",
        "HOME": str(work),
        "LANG": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "RUNNER_TEMP": str(work / "temp"),
    }


def _variables(files: dict[str, Path], github: FakeGitHub) -> dict[str, str]:
    for name in ("summary.md", "output.txt"):
        files[name].touch()
    return {
        "GITHUB_API_URL": github.url,
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_EVENT_PATH": str(files["event.json"]),
        "GITHUB_STEP_SUMMARY": str(files["summary.md"]),
        "GITHUB_OUTPUT": str(files["output.txt"]),
    }
