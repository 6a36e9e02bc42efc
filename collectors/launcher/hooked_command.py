"""Insert a wrapper into a command, before the script or module that its Python processes run.

    torchrun --nproc-per-node 2 train.py --lr 1   ->   torchrun --nproc-per-node 2 wrapper.py train.py --lr 1
    python -u -m package.train                    ->   python -u wrapper.py -m package.train

The wrapper runs in each rank, and only there. The other way, a `sitecustomize` in PYTHONPATH, would hide that
of the user and run in every Python process of the job.
"""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

_PYTHON = re.compile(r"python[0-9.]*t?")
_LAUNCHERS = ("torchrun", "accelerate")
_LAUNCHER_MODULES = ("torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch")
_REMEDY = "use python SCRIPT, python -m MODULE, torchrun or accelerate launch, or a Recorder in the script"


def insert_wrapper(command: Sequence[str], wrapper: str) -> list[str]:
    """Return a command in which `wrapper` gets what the command's Python would run, and its arguments.

    wrapper  path of a Python file
    raises   ValueError if the command does not say what its Python processes run
    """
    for at, word in enumerate(command):
        name, end = Path(word).name, at + 1
        if _PYTHON.fullmatch(name):
            return [*command[:end], *_after_python(command[end:], wrapper)]
        if name in _LAUNCHERS:
            return [*command[:end], *_after_launcher(name, command[end:], wrapper)]
    raise ValueError(f"--hook: {shlex.join(command)}: starts no Python that can be hooked; {_REMEDY}")


def _after_python(words: Sequence[str], wrapper: str) -> list[str]:
    """Return the words after `python` with the wrapper; options of Python stay before it."""
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        word, at = words[at], at + 1
        if word == "--check-hash-based-pycs":
            at += 1
        valued = None if word.startswith("--") else re.search("[cmWX]", word)  # the rest is a value
        if not valued:
            continue
        if valued[0] == "c":
            raise ValueError(f"--hook: python -c has no file that can be hooked; {_REMEDY}")
        value, at = (
            (word[valued.end() :], at) if word[valued.end() :] else (" ".join(words[at : at + 1]), at + 1)
        )
        if valued[0] == "m" and value:
            if value in _LAUNCHER_MODULES:
                return [*words[:at], *_after_launcher(value, words[at:], wrapper)]
            flags = [word[: valued.start()]] if valued.start() > 1 else []
            before = at - (1 if word[valued.end() :] else 2)
            return [*words[:before], *flags, wrapper, "-m", value, *words[at:]]
    if at >= len(words) or words[at] == "-":
        raise ValueError(f"--hook: python without a script cannot be hooked; {_REMEDY}")
    name = Path(words[at]).name
    if name in _LAUNCHERS:
        return [*words[: at + 1], *_after_launcher(name, words[at + 1 :], wrapper)]
    return [*words[:at], wrapper, *words[at:]]


def _after_launcher(launcher: str, words: Sequence[str], wrapper: str) -> list[str]:
    """Return the words after a launcher with the wrapper before its script: the first word in .py, or -m."""
    if launcher == "accelerate" and list(words[:1]) != ["launch"]:
        raise ValueError(f"--hook: accelerate {' '.join(words[:1])} cannot be hooked; {_REMEDY}")
    for at, word in enumerate(words):
        if word in ("--no-python", "--no_python"):
            raise ValueError(f"--hook: {launcher} {word} runs another program than Python; {_REMEDY}")
        if word in ("-m", "--module"):
            if at + 1 == len(words) or words[at + 1].startswith("-"):
                raise ValueError(f"--hook: {launcher} {word}: the module must follow it directly")
            return [*words[:at], wrapper, "-m", *words[at + 1 :]]
        if word.endswith(".py"):
            return [*words[:at], wrapper, *words[at:]]
    raise ValueError(f"--hook: {launcher}: names no script that ends with .py, and no -m MODULE; {_REMEDY}")
