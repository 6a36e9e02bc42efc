"""Start programs in milliseconds: a process that has imported them forks for each command.

program  `reportgen`, for the tests that run many commands as a user does, in a shell. A fresh process imports for a
         second, and its first build bundles the library of charts for two more.
python   Python with the modules that it names, for scripts that import PyTorch (1.5 s) or Lightning (6 s).

Each command is a process of its own, with its own folder, environment, files and exit code. Tests of the start itself,
of signals, of hash seeds and of locales start a fresh Python.
"""

import atexit
import gc
import io
import os
import pkgutil
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import cache, partial
from importlib import import_module
from pathlib import Path

import reportgen
from reportgen.render.page import library
from tests.conftest import ROOT
from tests.repository import write_repository

# What a shell calls: it hands over its files, waits for the exit code, and imports only what is in the interpreter.
_CLIENT = """\
import _socket, array, posix, sys
server = _socket.socket(_socket.AF_UNIX)
server.connect({address!r})
arguments = [word.encode(sys.getfilesystemencoding(), "surrogateescape") for word in sys.argv[1:]]
request = bytes(1).join([b"%d" % len(arguments), posix.getcwdb(), *arguments, *map(b"=".join, posix.environ.items())])
files = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))
server.sendmsg([len(request).to_bytes(8, "big")], [files])
server.sendall(request)
code = server.recv(1)
sys.exit(code[0] if code else "the warm process ended without an exit code")
"""


@cache
def program(root: Path = ROOT) -> str:
    """Return a shell command that does what `python -m reportgen` does; the processes end with this one.

    root  the folder whose package `reportgen` is run
    """
    folder = Path(tempfile.mkdtemp(prefix="reportgen-warm-"))
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
    return _client(folder)


def _client(folder: Path) -> str:
    client = folder / "client.py"
    client.write_text(_CLIENT.format(address=str(folder / "socket")), encoding="utf-8")
    return f'"{sys.executable}" -I -S "{client}"'


@contextmanager
def python(*modules: str) -> Iterator[str]:
    """Fork this process, and give the path of a Python that has imported what this one has.

    It takes a script or `-m MODULE`, and arguments. In it, sys.executable is this path, so what starts more processes,
    such as torchrun, also starts them warm. All of them end with the context.

    modules  are imported here before the fork
    """
    for name in modules:
        import_module(name)
    folder = Path(tempfile.mkdtemp(prefix="python-warm-"))
    path = folder / "python"
    path.write_text(f'#!/bin/sh\nexec {_client(folder)} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    read, write = os.pipe()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
        server.listen()
        child = os.fork()
        if child == 0:
            try:
                os.close(write)
                os.dup2(read, 0)
                _serve_scripts(server, str(path))
            finally:
                os._exit(1)
    os.close(read)
    try:
        yield str(path)
    finally:
        os.close(write)
        os.waitpid(child, 0)
        shutil.rmtree(folder)


def _serve(folder: Path, ready: int) -> None:
    for module in pkgutil.walk_packages(reportgen.__path__, "reportgen."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    library._bundle = (folder / "bundle.js").read_bytes
    _build_once(folder / "repository")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
        server.listen()
        os.write(ready, b"ready")
        os.close(ready)
        threading.Thread(target=_when_the_parent_ends, args=[partial(_end, folder)], daemon=True).start()
        _fork_for_each(server, _reportgen)


def _build_once(repository: Path) -> None:
    """Compile templates, patterns and command lines, and load fonts: the commands do not do so again."""
    os.chdir(write_repository(repository))
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as error:
        assert _exit_code(_reportgen, ["build", "reports/"]) == 0, error.getvalue()
    gc.freeze()


def _serve_scripts(server: socket.socket, path: str) -> None:
    """Turn a fork of the process of the tests into one that forks for scripts, until stdin is closed."""
    os.setsid()
    kill_all = partial(os.killpg, 0, signal.SIGKILL)
    threading.Thread(target=_when_the_parent_ends, args=[kill_all], daemon=True).start()
    atexit._clear()  # those of the tests are not for scripts
    sys.executable = path
    for name in [name for name in sys.modules if name.partition(".")[0] == "collectors"]:
        del sys.modules[name]  # a test may have changed it
    _fork_for_each(server, _script)


def _fork_for_each(server: socket.socket, run: Callable[[list[str]], None]) -> None:
    children = []
    while True:
        connection, _ = server.accept()
        children = [child for child in children if os.waitpid(child, os.WNOHANG) == (0, 0)]
        child = os.fork()
        if child == 0:
            server.close()
            _answer(connection, run)
        children.append(child)
        connection.close()


def _when_the_parent_ends(end: Callable[[], None]) -> None:
    # A read of sys.stdin would hold its lock in each forked command, and a pool of such a command closes sys.stdin.
    while os.read(0, 1024):
        pass
    end()


def _end(folder: Path) -> None:
    with suppress(ChildProcessError):
        while True:
            os.wait()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _answer(connection: socket.socket, run: Callable[[list[str]], None]) -> None:
    """Run one command in this process, and end it."""
    size, files, _, _ = socket.recv_fds(connection, 8, 3)
    request = b""
    while len(request) < int.from_bytes(size, "big"):
        request += connection.recv(1 << 16)
    count, *words = map(os.fsdecode, request.split(b"\0"))
    folder, arguments, variables = words[0], words[1 : int(count) + 1], words[int(count) + 1 :]
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variable.split("=", 1) for variable in variables)
    is_unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    out, error = os.fdopen(1, "wb", buffering=0 if is_unbuffered else -1), os.fdopen(2, "wb", buffering=0)
    sys.stdout = io.TextIOWrapper(out, write_through=is_unbuffered)
    sys.stderr = io.TextIOWrapper(error, write_through=True)
    threading.Thread(target=_end_without_a_client, args=[connection], daemon=True).start()
    code = _exit_code(run, arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    connection.sendall(bytes([code & 0xFF]))
    os._exit(0)


def _end_without_a_client(connection: socket.socket) -> None:
    """End as a program that gets SIGTERM, if a signal has ended the client: it sends nothing more itself."""
    connection.recv(1)
    os.kill(os.getpid(), signal.SIGTERM)


def _exit_code(run: Callable[[list[str]], None], arguments: list[str]) -> int:
    try:
        run(arguments)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _reportgen(arguments: list[str]) -> None:
    from reportgen.cli import main

    sys.argv = ["reportgen", *arguments]
    main()


def _script(arguments: list[str]) -> None:
    """Do what `python ARGUMENTS` does, from the path of modules to what is done at exit.

    sys.flags are those of the tests, and the exit code after a signal is 1.
    """
    sys.orig_argv = [sys.executable, *arguments]
    sys.stdin = open(0, closefd=False, encoding="utf-8")  # noqa: SIM115
    arguments = arguments[arguments[0] == "-u" :]
    is_module = arguments[0] == "-m"
    sys.argv = arguments[is_module:]
    folder = str(Path.cwd() if is_module else Path(arguments[0]).resolve().parent)
    sys.path[:0] = [folder, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    try:
        if is_module:
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(sys.argv[0], run_name="__main__")
    except Exception:
        sys.excepthook(*sys.exc_info())
        sys.exit(1)
    finally:
        threading._shutdown()
        atexit._run_exitfuncs()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), int(sys.argv[2]))
