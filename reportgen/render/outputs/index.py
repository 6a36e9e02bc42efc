"""Write the README.md of the reports folder: every report with its verdict."""

from collections.abc import Sequence

from reportgen.core.results import Report
from reportgen.render import markdown
from reportgen.render.generated_marker import INDEX_FOOTER
from reportgen.render.text import escape


def readme(reports: Sequence[Report]) -> bytes:
    """Return the index, reports by name."""
    body = [
        [
            escape.link(report.title, f"{report.name}/README.md"),
            escape.markdown(" ".join(report.verdict)) or "-",
            escape.link("page", f"{report.name}/index.html"),
        ]
        for report in sorted(reports, key=lambda report: report.name)
    ]
    table = markdown.aligned(["Report", "Verdict", "With evidence"], body, ["left", "left", "left"])
    shown = table if body else "No reports yet: `reportgen init` writes definitions to start from."
    return f"# Reports\n\n{shown}\n\n{INDEX_FOOTER}\n".encode("utf-8", "replace")
