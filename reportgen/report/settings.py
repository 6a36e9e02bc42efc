"""The settings of a repository: `reportgen.toml` and `expected.toml` beside the definitions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reportgen.core.errors import RequestError
from reportgen.protocol import Protocol
from reportgen.report.computed_facts import computed_speed
from reportgen.report.definition import below
from reportgen.report.toml_reader import Section, read_toml
from reportgen.tables.expected import NOTHING, Fact, Knowledge

SETTINGS, EXPECTED = "reportgen.toml", "expected.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """inject: files, relative to the root, whose marked tables are kept up to date."""

    inject: tuple[str, ...] = ("README.md",)
    protocols: Mapping[str, Protocol] = field(default_factory=dict)
    knowledge: Knowledge = NOTHING


def read_settings(folder: Path, place: str) -> Settings:
    """Return the settings of a reports folder; both files may be absent.

    place  how the folder is called in messages; raises RequestError for anything wrong in the files
    """
    inject: tuple[str, ...] = ("README.md",)
    protocols: dict[str, Protocol] = {}
    path = folder / SETTINGS
    if path.exists():
        top = read_toml(path, f"{place}/{SETTINGS}")
        section = top.section("inject")
        if section:
            files = section.texts("files")
            inject = tuple(below(f, f"{section.at('files')}[{i}]") for i, f in enumerate(files))
            section.done()
        named = top.section("protocols")
        for name in named.names() if named else ():
            if name[:1].isdecimal():
                raise RequestError(
                    named.at(name) if named else "",
                    f'"{name}" would hide the notation',
                    "begin with a letter",
                )
            one = named.section(name) if named else None
            if one:
                protocols[name] = Protocol.from_table(name, one.values(), one.place)
        top.done()
    return Settings(
        inject, protocols, read_knowledge(folder / EXPECTED, f"{place}/{EXPECTED}", folder.resolve().parent)
    )


def read_knowledge(path: Path, place: str, root: Path) -> Knowledge:
    """Return the systems and facts of an `expected.toml`, nothing if there is no such file.

    root  logs that facts are computed from lie below it
    """
    if not path.exists():
        return NOTHING
    top = read_toml(path, place)
    systems = top.section("systems")
    named = {
        name: one.wanted()
        for name in (systems.names() if systems else ())
        if systems and (one := systems.section(name))
    }
    knowledge = Knowledge(named, (), place)
    facts = tuple(_fact(section, knowledge, root) for section in top.sections("fact"))
    top.done()
    return Knowledge(named, facts, place)


def _fact(section: Section, knowledge: Knowledge, root: Path) -> Fact:
    of, to = section.required("of"), section.required("to")
    knowledge.check(of, section.at("of"))
    knowledge.check(to, section.at("to"))
    if of == to:
        raise RequestError(section.place, f'a fact from "{of}" to itself', "compare two systems")
    given, computed = section.section("where"), section.section("computed")
    where = given.wanted() if given else {}
    speed = (
        computed_speed(computed, (of, to), where, knowledge, root) if computed else section.positive("speed")
    )
    fact = Fact(
        of,
        to,
        speed,
        where,
        section.required("source"),
        section.text("url"),
        section.date("read"),
        section.place,
    )
    section.done()
    return fact
