"""Write a comparison as JSON, for programs. Keys: docs/reference/diff.md."""

import msgspec

from reportgen.diff.changes import Diff
from reportgen.diff.sections import Endpoint, headline

VERSION = 1


def document(diff: Diff, old: Endpoint, new: Endpoint) -> bytes:
    """Return the comparison as JSON: sorted keys, one value a line, a line break at the end."""
    content = {
        "version": VERSION,
        "old": old,
        "new": new,
        "headline": headline(diff),
        "verdicts": dict(diff.verdicts),
        "mean_speed_ratio": diff.mean_ratio,
        "diff": diff,
    }
    return msgspec.json.format(msgspec.json.encode(content, order="sorted"), indent=1) + b"\n"
