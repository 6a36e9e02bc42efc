"""Start `reportgen` in milliseconds: a process that has imported the program forks for each command.

A fresh process imports for a second, and its first build bundles the library of charts for two more. Tests that run
many commands as a user does, in a shell, use the program that `program` names instead. Each command is a process of
its own, with its own folder, environment, files and exit code. Tests of the start itself, of signals, of hash seeds
and of locales start `python -m reportgen`.
"""

import atexit
import io
import json
import os
import pkgutil
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

import reportgen
from reportgen.render.page import library
from tests.conftest import ROOT

# What a shell calls: it hands over its files, waits for the exit code, and does no import that takes time.
_CLIENT = """\
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode("utf-8", "surrogateescape")
    socket.send_fds(server, [len(request).to_bytes(8, "big")], [0, 1, 2])
    server.sendall(request)
    code = server.recv(1)
sys.exit(code[0] if code else "the warm reportgen ended without an exit code")
"""


@cache
def program(root: Path = ROOT) -> str:
    """Return a shell command that does what `python -m reportgen` does; the processes end with this one.

    root  the folder whose package `reportgen` is run
    """
    folder = Path(tempfile.mkdtemp(prefix="reportgen-warm-"))
    client = folder / "client.py"
    client.write_text(_CLIENT.format(address=str(folder / "socket")), encoding="utf-8")
    (folder / "bundle.js").write_bytes(library._bundle())
    read, write = os.pipe()
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.warm", str(folder), str(write)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, dict.fromkeys((root, ROOT))))},
        stdin=subprocess.PIPE,  # closed when this process ends, however it does
        pass_fds=[write],
    )
    atexit.register(server.communicate)
    os.close(write)
    with os.fdopen(read, "rb") as ready:
        assert ready.read() == b"ready", "the warm reportgen did not start"
    return f'"{sys.executable}" -I -S "{client}"'


def _serve(folder: Path, ready: int) -> None:
    for module in pkgutil.walk_packages(reportgen.__path__, "reportgen."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    import_module("matplotlib.backends.backend_svg")
    library._bundle = (folder / "bundle.js").read_bytes
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
        server.listen()
        os.write(ready, b"ready")
        os.close(ready)
        threading.Thread(target=_end_with_the_parent, args=[folder], daemon=True).start()
        children = []
        while True:
            connection, _ = server.accept()
            children = [child for child in children if os.waitpid(child, os.WNOHANG) == (0, 0)]
            child = os.fork()
            if child == 0:
                server.close()
                _answer(connection)
            children.append(child)
            connection.close()


def _end_with_the_parent(folder: Path) -> None:
    # A read of sys.stdin would hold its lock in each forked command, and a pool of such a command closes sys.stdin.
    while os.read(0, 1024):
        pass
    with suppress(ChildProcessError):
        while True:
            os.wait()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _answer(connection: socket.socket) -> None:
    """Run one command in this process, and end it."""
    size, files, _, _ = socket.recv_fds(connection, 8, 3)
    request = b""
    while len(request) < int.from_bytes(size, "big"):
        request += connection.recv(1 << 16)
    arguments, folder, variables = json.loads(request.decode("utf-8", "surrogateescape"))
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = ["reportgen", *arguments]
    is_unbuffered = bool(variables.get("PYTHONUNBUFFERED"))
    out, error = os.fdopen(1, "wb", buffering=0 if is_unbuffered else -1), os.fdopen(2, "wb", buffering=0)
    sys.stdout = io.TextIOWrapper(out, write_through=is_unbuffered)
    sys.stderr = io.TextIOWrapper(error, write_through=True)
    code = _code()
    sys.stdout.flush()
    sys.stderr.flush()
    connection.sendall(bytes([code]))
    os._exit(0)


def _code() -> int:
    from reportgen.cli import main

    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), int(sys.argv[2]))
