"""The command cache: where the cache is, how large it is, and its removal."""

from enum import StrEnum
from typing import Annotated

import typer

from reportgen.cache import cache_folder
from reportgen.cache.answers import Answers
from reportgen.cache.copies import clear_copies, copies_size
from reportgen.cache.rows import all_rows
from reportgen.cli.options import one_of
from reportgen.render.text.english import count


class CacheAction(StrEnum):
    """How to look after the cache."""

    info = "info"
    clear = "clear"
    verify = "verify"


def cache(
    action: Annotated[
        CacheAction,
        typer.Argument(
            help="info: print size and place; clear: remove all; verify: remove the damaged.",
            parser=one_of(CacheAction),
        ),
    ],
) -> None:
    """Look after the cache: what `runs` read before, and copies of remote and packed logs.

    \b
    Example: reportgen cache info
    """
    answers, rows = Answers(cache_folder()), all_rows(cache_folder())
    if action is CacheAction.clear:
        answers.clear()
        clear_copies()
        for each in rows:
            each.clear()
    elif action is CacheAction.verify:
        damaged = answers.remove_damaged() + sum(each.remove_damaged() for each in rows)
        print(f"{count(damaged, 'damaged entry', 'damaged entries')} removed")
    sizes = answers.sizes()
    size = sum(sizes) + sum(each.size() for each in rows)
    copies = f"copies of remote and packed logs: {copies_size() / 1e6:.1f} MB"
    print(f"{count(len(sizes), 'answer')}, {size / 1e6:.1f} MB; {copies}; in {cache_folder()}")
