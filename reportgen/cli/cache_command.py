"""The command cache: where the stored answers are, how large they are, and their removal."""

from enum import StrEnum
from typing import Annotated

import typer

from reportgen.cache import cache_folder
from reportgen.cache.answers import MAX_BYTES, Answers
from reportgen.render.text.english import count


class CacheAction(StrEnum):
    """How to look after the cache."""

    info = "info"
    clear = "clear"
    verify = "verify"


def cache(
    action: Annotated[
        CacheAction, typer.Argument(help="Print size and place, remove all, or remove the damaged.")
    ],
) -> None:
    """Look after the stored answers of `runs`, which are printed again until a file changes.

    \b
    Example: reportgen cache info
    """
    answers = Answers(cache_folder())
    if action is CacheAction.clear:
        print(f"{count(answers.clear(), 'answer')} removed")
        return
    if action is CacheAction.verify:
        print(f"{count(answers.remove_damaged(), 'damaged answer')} removed")
    sizes = answers.sizes()
    mb = f"{sum(sizes) / 1e6:.1f} of at most {MAX_BYTES / 1e6:.0f} MB"
    print(f"{count(len(sizes), 'answer')}, {mb}, in {answers.folder}")
