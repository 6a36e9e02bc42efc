"""What was raised, in logs of one process and of several."""

import pytest

from reportgen.formats.parsing.tracebacks import raised

HEAD = b'x\nTraceback (most recent call last):\n  File "a.py", line 1, in <module>\n    raise Error()\n'


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (HEAD + b"RuntimeError: CUDA error: no\n", b"RuntimeError: CUDA error: no"),
        (HEAD + b"torch.cuda.OutOfMemoryError: 1 GiB\n", b"torch.cuda.OutOfMemoryError: 1 GiB"),
        (HEAD + b"AssertionError\n", b"AssertionError"),
        (HEAD + b"[rank7]: ValueError: x\nKeyError: y\n", b"[rank7]: ValueError: x"),
        (HEAD + b"3: subprocess.CalledProcessError: y\n", b"3: subprocess.CalledProcessError: y"),
        (HEAD + b"and nothing else\n", b"Traceback (most recent call last):"),
        (HEAD, b"Traceback (most recent call last):"),
        (HEAD + b"  File\n" * 20_000 + b"KeyError: far off\n", b"Traceback (most recent call last):"),
    ],
)
def test_what_was_raised_is_named(content: bytes, shown: bytes) -> None:
    at = raised(content, content.find(b"Traceback"))
    assert content[at:].partition(b"\n")[0] == shown


def test_what_is_no_traceback_is_left_as_it_is() -> None:
    assert raised(b"Segmentation fault\nKeyError: 1\n", 0) == 0
