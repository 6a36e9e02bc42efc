"""Write the results of `check` and `diff` to the log, the job summary and one comment on the pull request.

    python comment.py FOLDER

FOLDER has check.txt and check.code, for a pull request also diff.md, diff.txt and diff.code. Everything else
comes from the variables that GitHub sets. The comment is found by its first line and its author, and renewed.
Without the permission to comment, as on a pull request from a fork, the summary has it all and nothing fails.

Only the standard library is used: this runs beside the installed reportgen, and in tests against a stand-in.
"""

import http.client
import json
import os
import re
import secrets
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

MARKER = "<!-- reportgen diff -->"
_MAX_LINES, _MAX_CHARS = 30, 3000
# GitHub refuses comments with more than 65,536 characters.
_MAX_COMMENT_CHARS = 65_000
_PER_PAGE, _MAX_PAGES = 100, 50
_TIMEOUT_S = 30
_NO_PERMISSION = (401, 403, 404)
REGRESSION = 5


def main() -> None:
    """Show the results in all places. Never fails because of the comment."""
    folder = Path(sys.argv[1])
    show_output(folder)
    text = compose(folder)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(text)
    number = pull_request()
    if number is None or os.environ.get("COMMENT") != "true":
        return
    try:
        print(f"comment {publish(number, text)}")
    except urllib.error.HTTPError as error:
        if error.code in _NO_PERMISSION:
            print(
                "::notice::no permission to comment, as on a pull request from a fork; "
                "the job summary has the comparison"
            )
        else:
            print(
                f"::warning::no comment: the server answered {error.code}; the job summary has the comparison"
            )
    except (OSError, http.client.HTTPException, ValueError) as error:  # ValueError: another answer
        reason = printable(" ".join(str(error).split()))
        print(f"::warning::no comment: {reason}; the job summary has the comparison")


def show_output(folder: Path) -> None:
    """Print what the commands printed. It may quote logs, so nothing in it is a command to the runner."""
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}")
    for name in ("check.txt", "diff.txt"):
        print(read(folder / name).rstrip())
    print(f"::{token}::", flush=True)


def compose(folder: Path) -> str:
    """Return the comment: what is wrong with the reports, then the comparison."""
    parts = []
    check, diff = exit_code(folder / "check.code"), exit_code(folder / "diff.code")
    if check == 3:
        parts += ["**The reports are not up to date.**", block(read(folder / "check.txt"))]
    elif check:
        parts += [f"**`reportgen check` failed** (exit code {check}).", block(read(folder / "check.txt"))]
    if diff == REGRESSION:
        parts.append(f"**{inline(read(folder / 'diff.txt').strip().splitlines()[-1:])}**")
    elif diff:
        parts += [f"**The comparison failed** (exit code {diff}).", block(read(folder / "diff.txt"))]
    comparison = read(folder / "diff.md").removeprefix(MARKER).strip()
    if comparison:
        parts.append(comparison)
    elif not check:
        parts.append("The reports are up to date.")
    return cut("\n\n".join([f"{MARKER}", *parts]) + "\n")


def cut(text: str) -> str:
    """Return the text, or its first lines and a sentence that says so if it is too long for a comment."""
    if len(text) <= _MAX_COMMENT_CHARS:
        return text
    end = "\n\n… The rest does not fit: see `reportgen diff`.\n"
    space = _MAX_COMMENT_CHARS - len(end)
    return text[: text.rfind("\n", 0, space)] + end


def block(output: str) -> str:
    """Return the end of an output as a code block that nothing in it can end."""
    lines = output.rstrip().splitlines()[-_MAX_LINES:]
    text = "\n".join(printable(line) for line in lines)[-_MAX_CHARS:]
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{fence}text\n{text}\n{fence}"


def inline(lines: list[str]) -> str:
    """Return a line as text: letters, digits, and what a count of changes needs."""
    return re.sub(r"[^\w ,:.-]", "", " ".join(lines)) or "failed"


def printable(text: str) -> str:
    """Return the text without control characters."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "\ufffd", text)


def exit_code(file: Path) -> int:
    """Return the exit code in a file, 0 if the command did not run."""
    return int(read(file).strip() or 0)


def read(file: Path) -> str:
    """Return the text of a file, "" if there is none."""
    return file.read_text("utf-8", "replace") if file.is_file() else ""


def pull_request() -> int | None:
    """Return the number of the pull request that this run is for, None outside of one."""
    event = read(Path(os.environ.get("GITHUB_EVENT_PATH", "")))
    number = json.loads(event or "{}").get("pull_request", {}).get("number")
    return number if isinstance(number, int) else None


def publish(number: int, text: str) -> str:
    """Renew our comment on a pull request, or create it; return which."""
    path = f"issues/{number}/comments"
    for comment in own_comments(path):
        try:
            request("PATCH", f"issues/comments/{comment}", {"body": text})
        except urllib.error.HTTPError as error:
            if error.code != 404:  # deleted in the meantime
                raise
        else:
            return "renewed"
    request("POST", path, {"body": text})
    return "created"


def own_comments(path: str) -> Iterator[int]:
    """Yield the ids of our comments.

    Anyone can write our first line, and could edit such a comment after we renewed it. So only those of our
    own account count.
    """
    author = os.environ["COMMENT_AUTHOR"]
    for page in range(1, _MAX_PAGES + 1):
        comments = request("GET", f"{path}?per_page={_PER_PAGE}&page={page}")
        if not isinstance(comments, list):
            raise ValueError("the server did not answer with a list of comments")
        for comment in comments:
            fields = comment if isinstance(comment, dict) else {}
            user, body, id = (fields.get(name) for name in ("user", "body", "id"))
            is_own = isinstance(user, dict) and user.get("login") == author
            if is_own and isinstance(id, int) and isinstance(body, str) and body.startswith(MARKER):
                yield id
        if len(comments) < _PER_PAGE:
            return


def request(method: str, path: str, body: dict[str, str] | None = None) -> object:
    """Return the answer of GitHub's API for this repository."""
    url = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/{path}"
    content = None if body is None else json.dumps(body).encode()
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {os.environ.get('GITHUB_TOKEN', '')}",
        "Content-Type": "application/json",
        "User-Agent": "reportgen",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    call = urllib.request.Request(url, data=content, headers=headers, method=method)
    with urllib.request.urlopen(call, timeout=_TIMEOUT_S) as answer:
        return json.loads(answer.read() or b"null")


if __name__ == "__main__":
    main()
