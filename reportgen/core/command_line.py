"""The command line of a run: its options with their values, and how two command lines differ."""

import re
import shlex
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.plain_text import one_line

# Options that name a run, or where it writes and listens; they say nothing about its work.
_OF_ONE_RUN = lazy_pattern(
    r"(?:random_?)?seed|(?:out(?:put)?|log|logging|save|checkpoint|ckpt|result|results|run|job|experiment|exp)"
    r"_?(?:dir|directory|file|folder|path|root|name|id)?|o|tag|resume|"
    r"(?:local|node|machine)_?rank|rank|(?:master|main_process)_?(?:addr|address|ip|port)|port|rdzv_\w+"
)

Argument = tuple[str, str]
# Commands that are remembered: repeats and metrics share them.
_MOST_COMMANDS = 256


def of_work(words: Sequence[str]) -> str:
    """Return a command line without what names only the run, as one text of a shell."""
    program, *others = words or ("",)
    kept = [program.rpartition("/")[2]]
    for option, value in _arguments(others):
        if not (option and _OF_ONE_RUN.fullmatch(option_name(option))):
            kept += [each for each in (option, value) if each]
    return one_line(shlex.join(kept)) if words else ""


def option_name(option: str) -> str:
    """Return the name of an option as a factor has it: "--Seq-Len" -> "seq_len"."""
    return option.lstrip("-").replace("-", "_").replace(".", "_").lower()


@lru_cache(maxsize=_MOST_COMMANDS)
def arguments_of(command: str) -> tuple[Argument, ...]:
    """Return option and value of each argument of a command line; a word without an option has "" for it."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    return tuple(_arguments(words))


def differing_arguments(own: str, other: str, explained: Set[str]) -> tuple[str, str]:
    """Return what only the one command line has, and what only the other has: "" and "" for equal ones.

    explained  names of options and values, both as `option_name` writes them, whose difference is known
    """
    own_arguments, others = (
        [each for each in arguments_of(command) if explained.isdisjoint(map(option_name, each))]
        for command in (own, other)
    )
    return _text(own_arguments, others), _text(others, own_arguments)


def _text(arguments: Sequence[Argument], known: Sequence[Argument]) -> str:
    words = (word for argument in arguments if argument not in known for word in argument)
    return " ".join(filter(None, words))


def _arguments(words: Sequence[str]) -> Iterator[Argument]:
    """Yield option and value; an option takes the word after it unless that is an option, too."""
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if not _is_option(word):
            yield "", word
        elif "=" in word:
            option, _, value = word.partition("=")
            yield option, value
        elif index < len(words) and not _is_option(words[index]):
            yield word, words[index]
            index += 1
        else:
            yield word, ""


def _is_option(word: str) -> bool:
    """Return whether a word is an option; "-1" is a number."""
    return bool(re.match(r"--?[A-Za-z]", word))
