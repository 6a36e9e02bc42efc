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
        RenderResult,
        RequestError,
        ResultTable,
        Run,
        RunSet,
        audit_files,
        build,
        cases,
        detect,
        detect_all,
        expected_speed,
        explain_cell,
        format_names,
        init,
        json_schema,
        list_runs,
        read,
        read_document,
        render,
        steps,
        table,
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
    "RenderResult",
    "RequestError",
    "ResultTable",
    "Run",
    "RunSet",
    "audit_files",
    "build",
    "cases",
    "detect",
    "detect_all",
    "expected_speed",
    "explain_cell",
    "format_names",
    "init",
    "json_schema",
    "list_runs",
    "read",
    "read_document",
    "render",
    "steps",
    "table",
    "view_run",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Load the library on first use, so that importing the package stays fast."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from reportgen import api

        return getattr(api, name)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted([*globals(), *__all__])
