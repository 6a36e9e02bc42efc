"""Golden files: what a reader sees is compared with what a person has read and accepted.

REPORTGEN_ACCEPT=1 accepts what is produced now; read the diff before committing it.
"""

import difflib
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


def _compare(case: str, files: Mapping[str, bytes]) -> None:
    folder = GOLDEN / case
    if os.environ.get("REPORTGEN_ACCEPT") == "1":
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
    problems = []
    for path, content in files.items():
        expected = (folder / path).read_bytes() if (folder / path).exists() else b""
        if expected == content:
            (folder / f"{path}.got").unlink(missing_ok=True)
            continue
        (folder / f"{path}.got").write_bytes(content)
        problems += difflib.unified_diff(
            expected.decode().splitlines(),
            content.decode().splitlines(),
            f"{case}/{path}",
            "got",
            lineterm="",
        )
    left = {str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file() and f.suffix != ".got"}
    problems += [f"golden file that nothing produces: {case}/{path}" for path in sorted(left - set(files))]
    problems += [
        "read the difference, then accept it: REPORTGEN_ACCEPT=1 python -m pytest tests/render"
    ] * bool(problems)
    assert not problems, "\n".join(problems)


@pytest.fixture
def golden() -> Callable[[str, Mapping[str, bytes]], None]:
    return _compare
