"""The arguments of the library, checked. A wrong one is a RequestError that says what to write instead.

The place of a message is the function with its parameter, such as `cases().ignore[0]`.
"""

import glob
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from reportgen.cache.remote import Progress
from reportgen.core.errors import RequestError
from reportgen.core.factors import Accepted, AcceptedValues, Presence, is_factor_value
from reportgen.core.model import FactorValue
from reportgen.core.schema import PresenceTable, convert
from reportgen.sources.filesystem import resolve_existing

PathLike = str | Path
Paths = PathLike | Sequence[PathLike]
# One name or several; one value or several.
Names = str | Sequence[str]
Condition = FactorValue | Sequence[FactorValue]
# Or whether a factor is there, as a definition writes it: {"absent": True}.
RunCondition = Condition | Mapping[str, bool] | Accepted
Where = Mapping[str, Condition]
RunWhere = Mapping[str, RunCondition]

_MAX_SHOWN = 40


def shown(value: object) -> str:
    """Return an argument as a message quotes it."""
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


def one_name(value: object, place: str) -> str:
    """Return a single name."""
    if not isinstance(value, str):
        raise RequestError(place, f"expected one name, got {shown(value)}", 'write it as "step_time"')
    return value


def names(value: object, place: str) -> list[str]:
    """Return one name or several as a list."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Iterable) or isinstance(value, Mapping | bytes):
        fact = f"expected a name or a list of names, got {shown(value)}"
        raise RequestError(place, fact, 'write it as "model" or ["model", "devices"]')
    return [one_name(each, f"{place}[{i}]") for i, each in enumerate(value)]


def values(condition: object, place: str) -> list[FactorValue]:
    """Return the values of a condition; values of NumPy and pandas become values of Python."""
    plain = condition.tolist() if hasattr(condition, "tolist") else condition
    several = (
        plain if isinstance(plain, Iterable) and not isinstance(plain, str | bytes | Mapping) else [plain]
    )
    return [_value(each, place) for each in several]


def _value(value: object, place: str) -> FactorValue:
    plain: object = value.item() if hasattr(value, "item") else value
    if not isinstance(plain, str | int | float) or not is_factor_value(plain):
        fact = f"expected text, a number or true or false, got {shown(value)}"
        raise RequestError(place, fact, "write the value as runs have it")
    return plain


def conditions(where: object, place: str) -> dict[str, AcceptedValues]:
    """Return factor -> accepted values; nothing for None."""
    return {name: tuple(values(condition, f"{place}.{name}")) for name, condition in _named(where, place)}


def where_conditions(where: object, place: str) -> dict[str, Accepted]:
    """Return factor -> accepted values, or whether it is there: {"variant": {"absent": True}}."""
    return {name: _accepted(condition, f"{place}.{name}") for name, condition in _named(where, place)}


def _accepted(condition: object, place: str) -> Accepted:
    if isinstance(condition, Mapping):
        return (convert(dict(condition), PresenceTable, place).presence,)
    several = condition if isinstance(condition, tuple) else (condition,)
    given = tuple(each for each in several if isinstance(each, Presence))
    others = tuple(each for each in several if not isinstance(each, Presence))
    if not given:
        return tuple(values(condition, place))
    return (*given, *values(others, place))


def _named(where: object, place: str) -> list[tuple[str, object]]:
    """Return the conditions by the names of their factors; none for None."""
    if where is None:
        return []
    if not isinstance(where, Mapping):
        fact = f"expected factors with their values, got {shown(where)}"
        raise RequestError(place, fact, 'write them as {"model": "a", "devices": [1, 8]}')
    return [(one_name(name, place), condition) for name, condition in where.items()]


def one_path(value: object, place: str) -> Path:
    """Return a path, which need not exist."""
    if not isinstance(value, str | Path):
        raise RequestError(place, f"expected a path, got {shown(value)}", 'write it as "logs/run.log"')
    return Path(value)


def existing_paths(paths: object, place: str, progress: Progress | None = None) -> list[Path]:
    """Return files and folders that exist, patterns such as "logs/*" filled in, links followed.

    progress  called with (files fetched, all files) where an address is copied
    Raises RequestError for a path that does not exist and for a pattern that matches nothing.
    """
    if not isinstance(paths, Iterable) or isinstance(paths, bytes | Mapping):
        one_path(paths, place)
    several = [paths] if isinstance(paths, str | Path) else list(paths)  # type: ignore[call-overload]
    if not several:
        raise RequestError(place, "no paths", "name files or folders of logs")
    matching = [path for each in several for path in _matching(one_path(each, place))]
    return [resolve_existing(path, progress) for path in matching]


def _matching(path: Path) -> Iterable[Path]:
    """Return the path, or what it matches if it is a pattern and no file has this name."""
    if path.exists() or path.is_symlink() or not glob.has_magic(str(path)):
        return [path]
    # Path.glob takes no absolute pattern.
    matching = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207
    if not matching:
        raise RequestError(str(path), "no file or folder matches this pattern", "check the path")
    return map(Path, matching)
