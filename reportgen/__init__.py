"""reportgen turns benchmark logs into tables, plots and expected-speed statements.

The functions of the library are in `reportgen.api` and loaded when they are first used; see
docs/reference/python.md.
"""

TYPE_CHECKING = False  # type checkers take it for true; importing `typing` takes longer than all the rest
if TYPE_CHECKING:
    from reportgen.api import (
        AuditResult,
        BuildResult,
        CaseSet,
        CellExplanation,
        Detection,
        Document,
        InitResult,
        LearnedFormat,
        PlannedRuns,
        RenderResult,
        RequestError,
        ResultDiff,
        ResultFigure,
        ResultReport,
        ResultTable,
        Run,
        RunSet,
        TableHistory,
        audit_files,
        build,
        cases,
        compare_runs,
        detect,
        detect_all,
        diff_reports,
        expected_speed,
        explain_cell,
        explain_rule,
        export,
        format_names,
        init,
        json_schema,
        learn_format,
        list_rules,
        list_runs,
        plan_runs,
        read,
        read_document,
        render,
        steps,
        table,
        table_history,
        view_report,
        view_run,
    )

__version__ = "0.1.0"

__all__ = [
    "AuditResult",
    "BuildResult",
    "CaseSet",
    "CellExplanation",
    "Detection",
    "Document",
    "InitResult",
    "LearnedFormat",
    "PlannedRuns",
    "RenderResult",
    "RequestError",
    "ResultDiff",
    "ResultFigure",
    "ResultReport",
    "ResultTable",
    "Run",
    "RunSet",
    "TableHistory",
    "audit_files",
    "build",
    "cases",
    "compare_runs",
    "detect",
    "detect_all",
    "diff_reports",
    "expected_speed",
    "explain_cell",
    "explain_rule",
    "export",
    "format_names",
    "init",
    "json_schema",
    "learn_format",
    "list_rules",
    "list_runs",
    "plan_runs",
    "read",
    "read_document",
    "render",
    "steps",
    "table",
    "table_history",
    "view_report",
    "view_run",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Load the library on first use, so that importing the package stays fast."""
        if name not in __all__:
            from reportgen.core.errors import did_you_mean

            fact = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(f"{fact}; {did_you_mean(name, __all__)}", name=name)
        from reportgen import api

        return getattr(api, name)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted([*globals(), *__all__])
