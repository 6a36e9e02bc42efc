"""Show reports: Markdown, HTML, JSON, CSV and figures, as bytes. Nothing is decided or computed here.

A Report goes in, a mapping from paths to bytes comes out; `publish` writes them. Every number on a
page comes from one Grid per table (`grid`), so the pages cannot disagree. The libraries behind the
forms are imported only when something is rendered: `reportgen --help` waits for none of them.
"""

from collections.abc import Mapping, Sequence

from reportgen.core.results import Report, Table, Watched


def render_report(
    report: Report, drawn: Mapping[str, bytes] | None = None, watched: Watched = iter
) -> dict[str, bytes]:
    """Return the files of a report: paths relative to its folder.

    README.md, index.html, report.json, tables/<id>.csv, figures/<id>.svg

    drawn  figures of an earlier build by path: one that still shows the same is used as it is, so that
           neither time nor another version of matplotlib changes a page whose numbers did not change
    watched  passes the figures on, one by one as they are drawn
    Raises RequestError for a mistake in the prose, with its file and line.
    """
    from reportgen.render.case_index import Evidence
    from reportgen.render.figures import svg_files
    from reportgen.render.outputs import csv, readme
    from reportgen.render.outputs.html import index_html
    from reportgen.render.outputs.report_json import report_json
    from reportgen.render.prose import fill as prose
    from reportgen.render.text import slugs

    filled = prose.fill(report)
    evidence = Evidence(report)
    table_names = slugs.stems(table.id for table in report.tables)
    figure_names = slugs.stems(figure.id for figure in report.figures)
    paths = {figure.id: f"figures/{figure_names[figure.id]}.svg" for figure in report.figures}
    with svg_files.settings():
        svgs = {
            f.id: svg_files.up_to_date(f, (drawn or {}).get(paths[f.id])) for f in watched(report.figures)
        }
    files = {f"tables/{table_names[table.id]}.csv": csv.table(table) for table in report.tables}
    files |= {paths[figure_id]: svg for figure_id, svg in svgs.items()}
    files["README.md"] = readme.readme(report, filled, table_names, figure_names)
    files["index.html"] = index_html(report, filled, evidence, svgs, table_names)
    files["report.json"] = report_json(report, evidence, [*files, "report.json"])
    return files


def render_index(reports: Sequence[Report]) -> dict[str, bytes]:
    """Return the files of the reports folder itself: README.md with every report and its verdict."""
    from reportgen.render.outputs import index

    return {"README.md": index.readme(reports)}


def render_table_markdown(table: Table) -> str:
    """Return a table as Markdown, to be put between markers into a hand-written file."""
    from reportgen.render import markdown

    return markdown.table(table)
