"""The one kind of exception that a user is meant to see, and the nearest known name.

A problem with the *data* is a `Finding` (see `model`) and never stops a build; a problem with the
*request* (a definition, a path, an option) is a `RequestError` and always does. Nothing else is
caught by the command line: any other exception is a defect of ours and keeps its traceback.
"""

from collections.abc import Iterable
from difflib import get_close_matches

# So much alike are a name and the same name misspelt: "of" and "to" are not.
_ALIKE = 0.75
# More names than these nobody reads.
_LISTED = 40


class RequestError(Exception):
    """A request that cannot be carried out: where, what is the matter, what to do about it.

    place   the file and key or the command-line argument, as the user wrote it
    fact    a lower-case fragment without full stop
    remedy  what to do, or "" where the fact already says it
    """

    def __init__(self, place: str, fact: str, remedy: str = "") -> None:
        super().__init__(f"{place}: {fact}" + (f"; {remedy}" if remedy else ""))
        self.place, self.fact, self.remedy = place, fact, remedy


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `did you mean "x"?` for the nearest of the known names, else the list of them, cut short."""
    names = sorted(set(known))
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    if near:
        return f'did you mean "{near[0]}"?'
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"known: {', '.join(names[:_LISTED])}{more}" if names else "there are none"


def misspelt(name: str, found: Iterable[str]) -> str:
    """Return that of the names found which is hardly another than `name`, "" if none is."""
    return next(iter(get_close_matches(name, sorted(found), n=1, cutoff=_ALIKE)), "")
