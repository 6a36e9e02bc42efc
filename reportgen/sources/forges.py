"""The web pages of a repository: where a forge shows a line of a file at a commit."""

import re
from collections.abc import Callable
from urllib.parse import quote, urlsplit

from reportgen.core.lazy_pattern import lazy_pattern

# user@host:path, the short form of ssh URLs.
_SCP = lazy_pattern(r"(?:[^@/:]+@)?([^@/:]+):(?!//)(.+)")
_HOST = lazy_pattern(r"[A-Za-z0-9.-]+(?::\d+)?")

_Page = Callable[[str, str, int | None], str]


def _github(commit: str, path: str, line: int | None) -> str:
    return f"blob/{commit}/{path}" + (f"#L{line}" if line else "")


def _gitlab(commit: str, path: str, line: int | None) -> str:
    return f"-/blob/{commit}/{path}" + (f"#L{line}" if line else "")


def _gitea(commit: str, path: str, line: int | None) -> str:
    return f"src/commit/{commit}/{path}" + (f"#L{line}" if line else "")


# A word in the name of a host, and the pages of the forge that runs there.
_FORGES: tuple[tuple[str, _Page], ...] = (
    ("github", _github),
    ("gitlab", _gitlab),
    ("codeberg", _gitea),
    ("gitea", _gitea),
    ("forgejo", _gitea),
)


def web_link(remote: str, commit: str, path: str, line: int | None = None) -> str:
    """Return the page of a file at a commit, "" if the forge is not known.

    remote  URL of the repository, https, ssh or user@host:path; passwords in it are left out
    """
    host, project = _address(remote.strip())
    for word, page in _FORGES:
        if word in host.lower() and _HOST.fullmatch(host) and project:
            return f"https://{host}/{quote(project)}/{page(commit, quote(path), line)}"
    return ""


def commit_link(remote: str, commit: str) -> str:
    """Return the page of a commit, "" if the forge is not known."""
    page = web_link(remote, commit, "x")
    return re.sub(rf"/(?:blob|src/commit)/{re.escape(commit)}/x$", f"/commit/{commit}", page)


def _address(remote: str) -> tuple[str, str]:
    """Return host and project ("owner/name") of a remote."""
    if "://" in remote:
        try:
            url = urlsplit(remote)
            port = f":{url.port}" if url.port and url.scheme in ("http", "https") else ""
        except ValueError:
            return "", ""
        is_remote = url.scheme in ("http", "https", "ssh", "git")
        host, project = (f"{url.hostname or ''}{port}", url.path) if is_remote else ("", "")
    else:
        short = _SCP.fullmatch(remote)
        host, project = (short[1], short[2]) if short else ("", "")
    return host, project.strip("/").removesuffix(".git")
