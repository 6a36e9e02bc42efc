"""The command that proposes how to read files of an unknown form: learn."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.options import Format, TextOrJson, print_document
from reportgen.cli.terminal import log, print_runs, print_table
from reportgen.core.errors import RequestError
from reportgen.render.text.english import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.learn import Proposal, TableProposal, TablesProposal

_MAX_NAMED = 3
# Of a page with several kinds of tables.
_MAX_TABLES = 8
_MAX_COLUMNS = 12
_MAX_SHOWN_CASES = 5


def _print_names(is_asked: bool) -> None:
    """Print the units, and the metrics that are measured in them, and exit."""
    if not is_asked:
        return
    from reportgen.core import units
    from reportgen.core.metrics import METRICS

    names: dict[str, tuple[list[str], list[str]]] = {}
    for name in units.known_units():
        names.setdefault(units.to_base(1.0, name)[1], ([], []))[0].append(name)
    for metric in METRICS.values():
        names.setdefault(metric.unit, ([], []))[1].append(metric.name)
    for own, metrics in names.values():
        print(f"units:   {' '.join(own)}\nmetrics: {' '.join(metrics) or 'of your own'}\n")
    print("Rates of any item are units, such as images/s; any other unit or metric is your own.")
    raise typer.Exit


def learn(
    file: Annotated[Path, typer.Argument(help="A sample log, a table of results, or a folder of tables.")],
    write: Annotated[
        Path | None,
        typer.Option(help="Accept: write labels.toml, and for a log a fixture, into this folder."),
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option(
            help="column=unit, =setting or =ignore, of a table that does not state it; may be repeated."
        ),
    ] = None,
    columns: Annotated[
        str, typer.Option(help="Names of the columns of a table without a header: model,batch,time_ms.")
    ] = "",
    names: Annotated[
        bool,
        typer.Option(
            "--names",
            help="Print the known units and metrics, and exit.",
            callback=_print_names,
            is_eager=True,
        ),
    ] = False,
    format: Format = TextOrJson.TEXT,
) -> None:
    """Propose how to read a log or a table, and show what that reads.

    \b
    Example: reportgen learn logs/run7/train.log
             reportgen learn results.csv --unit latency=ms
             reportgen learn results/ --write results
    """
    from reportgen import api
    from reportgen.learn import TablesProposal

    named = [name.strip() for name in columns.split(",")] if columns else []
    learned = api.learn_format(file, write=write, units=_units(unit or ()), columns=named)
    proposal = learned.proposal
    if format is TextOrJson.TEXT:
        if isinstance(proposal, TablesProposal):
            _print_tables(proposal)
        else:
            _print_proposal(proposal)
        for path in learned.written:
            print(f"new      {path}")
    else:
        print_document(**proposal.document(), written=learned.written)
    if proposal.written():
        next_step = f"next: reportgen runs {shlex.quote(str(file))}"
        log(_accepting(file, unit or (), columns) if write is None else next_step)


def _accepting(file: Path, answers: "Sequence[str]", columns: str) -> str:
    """Return the command that accepts the proposal with these answers."""
    folder = file if file.is_dir() else file.parent
    units = [word for answer in answers for word in ("--unit", answer)]
    words = ["reportgen", "learn", str(file), "--write", str(folder), *units]
    return f"accept with: {shlex.join([*words, '--columns', columns] if columns else words)}"


def _units(answers: "Sequence[str]") -> dict[str, str]:
    """Return column -> unit. Raises RequestError for an argument that is not column=unit."""
    units: dict[str, str] = {}
    for answer in answers:
        column, equals, unit = answer.rpartition("=")
        if not equals or not column:
            raise RequestError("--unit", f'"{answer}" is not column=unit', "write it as --unit latency=ms")
        units[column] = unit
    return units


def _print_tables(proposal: "TablesProposal") -> None:
    """Print the tables of one file or kind in full with definitions, of several kinds a few lines of each."""
    is_single = len({table.path for table in proposal.tables}) == 1
    for table in proposal.tables[:_MAX_TABLES]:
        if is_single:
            _print_table(table)
        else:
            _print_summary(table)
    if rest := proposal.tables[_MAX_TABLES:]:
        print(f"{count(len(rest), 'more kind')} of tables: {_named([table.path for table in rest])}\n")
    for question in proposal.questions[:_MAX_TABLES]:
        print(f"{_files(question.path, question.count)}: {question.fact}; {question.remedy}\n")
    if unanswered := proposal.questions[_MAX_TABLES:]:
        print(f"{count(len(unanswered), 'more question')}: {_named([each.path for each in unanswered])}\n")
    for name, number in sorted(proposal.known.items()):
        print(f"read already: {count(number, 'file')} ({name})")
    if proposal.others:
        named = _named(proposal.others)
        print(f"no table: {count(len(proposal.others), 'file')}: {named}; for a log: reportgen learn FILE")
    if is_single:
        print(proposal.toml, end="")
    elif proposal.tables:
        print("one of them with its cells, runs and definition: reportgen learn FILE")


def _print_summary(table: "TableProposal") -> None:
    """Print what the columns of a table are, its first run, and the notes."""
    from reportgen.report.run_groups import headline, measured_text

    print(_heading(table))
    roles: dict[str, list[str]] = {}
    for name, role, _ in table.columns[1:]:
        kind, _, what = role.partition(": ")
        roles.setdefault(kind, []).append(f"{name} ({what})" if what not in ("", name) else name)
    for kind in sorted(roles, key=lambda kind: kind not in ("figure", "factor")):
        print(f"  {kind}: {_named(roles[kind], _MAX_COLUMNS)}")
    for run in table.listing.runs[:1]:
        factors = ", ".join(f"{name}={value}" for name, value in sorted(run.factors.items()))
        shown = headline(run)
        values = [shown.value] if shown and shown.value is not None else []
        print(f"  first run: {factors}: {measured_text(run, values)}")
    for note in table.notes:
        print(f"  note: {note}")
    print()


def _named(names: "Sequence[str]", most: int = _MAX_NAMED) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _print_table(table: "TableProposal") -> None:
    from reportgen.learn.tables import answer_for, questions

    print(_heading(table))
    print_table(table.columns)
    print("\nwhat `runs` makes of it:")
    cases = table.listing.to_rows()
    print_runs(replace(cases, rows=cases.rows[:_MAX_SHOWN_CASES]))
    if len(cases.rows) > _MAX_SHOWN_CASES:
        print(f"... and {count(len(cases.rows) - _MAX_SHOWN_CASES, 'more row')}")
    for columns, question in questions(table.open):
        answer = answer_for(columns[0], question)
        print(f"open: {', '.join(columns)}: {question}" + (f", for example {answer}" if answer else ""))
    for note in table.notes:
        print(f"note: {note}")
    print()


def _heading(table: "TableProposal") -> str:
    place = _files(table.path, len(table.files))
    return f"{place}: {table.read} of {table.numbers} numbers in {table.rows} rows"


def _files(path: str, number: int) -> str:
    return path if number == 1 else f"{path} and {number - 1} more"


def _print_proposal(proposal: "Proposal") -> None:
    print(f"{proposal.matched} of {proposal.lines} lines match:")
    print_table(proposal.records)
    if proposal.near_miss_count:
        print(f"\nlines with the same words that do not match: {proposal.near_miss_count}")
        print_table([(str(line), text) for line, text in proposal.near_misses])
    print("\nwhat `runs` makes of it:")
    print_runs(proposal.listing.to_rows())
    for run in proposal.listing.runs:
        values = [(each.metric, str(each.value), each.unit, each.evidence) for each in run.measurements]
        print_table([("metric", "value", "unit", "evidence"), *values])
    for note in proposal.notes:
        print(f"note: {note}")
    print(f"\n{proposal.toml}", end="")
