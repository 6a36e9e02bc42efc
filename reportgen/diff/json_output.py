"""Write a comparison as JSON, for programs. Keys: docs/reference/diff.md."""

from dataclasses import fields

import msgspec

from reportgen.compare.side import Side
from reportgen.diff.changes import Diff
from reportgen.diff.rows import Row
from reportgen.diff.sections import Endpoint, headline

VERSION = 1


def diff_json(diff: Diff, old: Endpoint, new: Endpoint) -> bytes:
    """Return the comparison as JSON: sorted keys, one value a line, a line break at the end."""
    content = {
        "version": VERSION,
        "old": old,
        "new": new,
        "headline": headline(diff),
        "verdicts": dict(diff.verdicts),
        "mean_speed_ratio": diff.mean_ratio,
        "diff": {
            **{field.name: getattr(diff, field.name) for field in fields(diff)},
            "rows": [_row(row) for row in diff.rows],
        },
    }
    return msgspec.json.format(msgspec.json.encode(content, order="sorted"), indent=1) + b"\n"


def _row(row: Row) -> dict[str, object]:
    own = row.comparison.own
    return {
        "place": row.place,
        "heading": row.heading,
        "metric": own.metric,
        "phase": own.phase,
        "old": _side(row.comparison.base, row.old),
        "new": _side(own, row.new),
        "verdict": row.verdict,
        "reasons": row.reasons,
        "environment": [
            {"name": each.name, "own": each.own, "baseline": each.baseline, "is_essential": each.is_essential}
            for each in row.environment
        ],
        "tables": row.tables,
        "is_part": row.is_part,
        "case": row.case,
    }


def _side(side: Side, shown: str) -> dict[str, object]:
    left_out = {} if side.over_all is None else {"over_all": side.over_all}
    return {
        "value": side.value,
        "shown": shown,
        "repeats": side.n,
        "low": side.low,
        "high": side.high,
        **left_out,
    }
