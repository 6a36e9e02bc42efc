"""The exception for a wrong request, and the closest known name.

A problem with the *data* is a `Finding` (see `model`) and never stops a build. A problem with the
*request* (a definition, a path, an option) is a `RequestError` and always does. The command line catches
nothing else: any other exception is a defect of reportgen and keeps its traceback.
"""

from collections.abc import Iterable
from difflib import get_close_matches

# difflib's similarity of a name and the same name misspelt; "of" and "to" are below both.
_SUGGESTION_SIMILARITY = 0.5
_MISSPELLING_SIMILARITY = 0.75
_MAX_LISTED_NAMES = 40


class RequestError(Exception):
    """A request that cannot be fulfilled: where, what is wrong, what to do.

    place   the file and key or the command-line argument, as the user wrote it
    fact    a lower-case fragment without full stop
    remedy  what to do, or "" if the fact says it
    """

    def __init__(self, place: str, fact: str, remedy: str = "") -> None:
        super().__init__(f"{place}: {fact}" + (f"; {remedy}" if remedy else ""))
        self.place, self.fact, self.remedy = place, fact, remedy


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `did you mean "x"?` for the closest of the known names, else a list of them."""
    names = sorted(set(known))
    close = get_close_matches(name, names, n=1, cutoff=_SUGGESTION_SIMILARITY)
    if close:
        return f'did you mean "{close[0]}"?'
    more = f" and {len(names) - _MAX_LISTED_NAMES} more" if len(names) > _MAX_LISTED_NAMES else ""
    return f"known: {', '.join(names[:_MAX_LISTED_NAMES])}{more}" if names else "there are none"


def check_known(place: str, what: str, name: str, known: Iterable[str]) -> None:
    """Raise RequestError with the closest name unless a name is known.

    what  the thing that the name is of, such as `factor`
    """
    names = set(known)
    if name not in names:
        raise RequestError(place, f'no {what} "{name}"', did_you_mean(name, names))


def closest_match(name: str, known: Iterable[str]) -> str:
    """Return the closest known name, "" if none is close enough to be a misspelling."""
    return next(iter(get_close_matches(name, sorted(known), n=1, cutoff=_MISSPELLING_SIMILARITY)), "")
