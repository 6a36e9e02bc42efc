"""Serve built reports on this host, with pages that load again after each build.

Only this host can connect. A page of another site cannot read what is served: it would need a name of its
own for this host, and requests with other names are refused. Hidden files are not served.
"""

import base64
import hashlib
import threading
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from reportgen.core.errors import RequestError

_VERSION_PATH = "/.reportgen/build"
_SCRIPT = f"""
let seen = null;
setInterval(async () => {{
  const answer = await fetch("{_VERSION_PATH}").catch(() => null);
  if (!answer || !answer.ok) return;
  const now = await answer.text();
  if (seen !== null && now !== seen) location.reload();
  seen = now;
}}, 1000);
"""
_DIGEST = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
_POLICY, _SCRIPTS = b"default-src 'none';", b"script-src"


def with_reload(page: bytes) -> bytes:
    """Return a generated page that loads again after a build; the page on the disk stays as it is."""
    head, policy, rest = page.partition(_POLICY)
    if not policy:
        return page
    rules, end, body = rest.partition(b'">')
    if _SCRIPTS not in rules:
        rules = b" " + _SCRIPTS + b";" + rules
    rules = rules.replace(_SCRIPTS, _SCRIPTS + f" 'sha256-{_DIGEST}'".encode(), 1)
    body = body.replace(b"</body>", f"<script>{_SCRIPT}</script>\n</body>".encode())
    return head + policy + b" connect-src 'self';" + rules + end + body


class LiveServer(ThreadingHTTPServer):
    """A server of the files below `root` in a thread: `with LiveServer(root, "/reports/", port) as server:`.

    builds  how often the reports were built; pages load again when it changes
    """

    def __init__(self, root: Path, start: str, port: int) -> None:
        self.builds = 0
        self.root, self.start = root.resolve(), start
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except (OSError, OverflowError) as error:
            remedy = "choose another one, for example --port 8001, or any free one: --port 0"
            reason = getattr(error, "strerror", None) or error
            raise RequestError("--port", f"{port} cannot be used ({reason})", remedy) from None
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Where a browser finds the reports."""
        return f"http://127.0.0.1:{self.server_port}{self.start}"

    def __enter__(self) -> "LiveServer":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(SimpleHTTPRequestHandler):
    server: LiveServer

    def send_head(self) -> BytesIO | BinaryIO | None:
        path = unquote(urlsplit(self.path).path)
        if self.headers.get("Host", "").partition(":")[0] not in ("127.0.0.1", "localhost"):
            self.send_error(HTTPStatus.FORBIDDEN)
            return None
        if path == _VERSION_PATH:
            return self._answer(str(self.server.builds).encode(), "text/plain")
        if path == "/":
            self.send_response(HTTPStatus.FOUND)
            self.send_header("Location", self.server.start)
            self.end_headers()
            return None
        return self._send_file(path)

    def translate_path(self, path: str) -> str:
        self.directory = str(self.server.root)
        return super().translate_path(path)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing: a terminal shows the builds."""

    def _send_file(self, path: str) -> BytesIO | BinaryIO | None:
        file = Path(self.translate_path(self.path))
        file = file / "index.html" if path.endswith("/") else file
        if "/." in path or not file.is_file() or not file.resolve().is_relative_to(self.server.root):
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        if file.suffix == ".html":
            return self._answer(with_reload(file.read_bytes()), "text/html; charset=utf-8")
        return super().send_head()

    def _answer(self, content: bytes, kind: str) -> BytesIO:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return BytesIO(content)
