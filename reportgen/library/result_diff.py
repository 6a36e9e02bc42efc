"""Differences between two sides, logs or reports: the result of `compare_runs` and `diff_reports`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.diff.changes import Diff
from reportgen.diff.sections import Endpoint, headline, sections_of, sentences

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = ("place", "case", "metric", "phase", "old", "new", "ratio", "verdict", "reason")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ResultDiff:
    """The new side against the old one. `diff` has a row for each case, and everything else that differs."""

    diff: Diff
    old: Endpoint
    new: Endpoint

    def __repr__(self) -> str:
        return f"<ResultDiff: {self.headline}, {self.old.text} -> {self.new.text}>"

    @property
    def headline(self) -> str:
        """The comparison in a few words: `1 slower, 2 undecided`."""
        return headline(self.diff)

    def to_markdown(self) -> str:
        """Return the comparison as a comment on a pull request."""
        from reportgen.diff.markdown import comment

        return comment(self.diff, self.old, self.new)

    def to_json(self) -> str:
        """Return the comparison as JSON; its keys are in docs/reference/diff.md."""
        from reportgen.diff.json_output import diff_json

        return diff_json(self.diff, self.old, self.new).decode()

    def to_dataframe(self) -> "pd.DataFrame":
        """Return one row per case: both values in base units, the ratio of the speeds, the verdict.

        A ratio above 1 is faster; NaN where there is none, and `reason` says why.
        """
        import pandas as pd

        rows = [
            (
                row.place,
                row.case or row.heading,
                row.comparison.own.metric,
                row.comparison.own.phase,
                row.comparison.base.value,
                row.comparison.own.value,
                row.ratio,
                row.verdict.kind if row.verdict else "",
                "" if row.ratio is not None else "not a speed" if row.verdict is None else row.verdict.reason,
            )
            for row in self.diff.rows
        ]
        return pd.DataFrame(rows, columns=list(_COLUMNS))

    def _repr_html_(self) -> str:
        from reportgen.render.page.notebook import listing_html

        said = (f"{self.old.text} -> {self.new.text}", *sentences(self.diff))
        parts = [listing_html(self.headline, (), (), 0, said)]
        parts += [
            listing_html(part.title, part.columns, part.rows, len(part.rows))
            for part in sections_of(self.diff)
            if not part.is_folded
        ]
        return "\n".join(parts)
