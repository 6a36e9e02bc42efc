"""The fixtures of families: `fixtures/FAMILY[.VARIANT].EXTENSION`, each with its `.expected.toml`."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("fixtures")
_EXPECTED = ".expected.toml"


def fixtures() -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """Yield (family, path of the log, expected values) of each fixture."""
    for expected in sorted(FOLDER.glob(f"*{_EXPECTED}")):
        stem = expected.name.removesuffix(_EXPECTED)
        (log,) = (path for path in FOLDER.glob(f"{stem}.*") if _is_log(path, stem))
        yield stem.partition(".")[0], log, tomllib.loads(expected.read_text("utf-8"))


def valid_logs() -> dict[str, dict[str, bytes]]:
    """Return family -> the first of its logs that is not about a failure."""
    logs: dict[str, dict[str, bytes]] = {}
    for family, log, expected in fixtures():
        if expected["numbers"]:
            logs.setdefault(family, {log.name: log.read_bytes()})
    return logs


def _is_log(path: Path, stem: str) -> bool:
    """Return whether this is the log itself, not a variant's log or an expectation."""
    return path.name.rpartition(".")[0] == stem and not path.name.endswith(_EXPECTED)
