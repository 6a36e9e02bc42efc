"""Search for inputs that break a reader, for a given time, and save them.

    python -m tests.fuzz.run --seconds 600
    python -m tests.fuzz.run --seconds 60 --formats native published --seed 7

It mutates the valid logs in tests/, the literals of the tests of formats and the saved inputs. An input is a
failure if a reader raises, breaks the contract of the data model, warns, or takes more than --bound seconds of
processor time. A failing input is shrunk and written into the corpus, and tests/fuzz/test_replay.py fails until
the reader is fixed. No coverage guides the search: an input with a new result is mutated again.
"""

import argparse
import hashlib
import re
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from reportgen.core.model import Finding, Run
from tests.builders import format_named
from tests.formats.valid_logs import VALID_LOGS
from tests.fuzz.inputs import CORPUS, Input, kept, valid, written
from tests.fuzz.mutate import mutated
from tests.fuzz.replay import DETECTION, TRIALS, TooSlow, parts, replay
from tests.fuzz.shrink import Files, shrunk

# s that making one input small may take.
SHRINKING = 60
# Inputs of a format that are mutated, and the bytes that one of them may have.
_POOL = 400
_SMALL = 20_000
# All readers and the disk take fifty times as long as the one reader that an input is made for.
_WHOLE = 40
# Characters of a traceback, from its end: messages may quote what they are about.
_SHOWN = 2000


@dataclass(frozen=True, slots=True)
class Failure:
    """An error of a trial: the kind of exception, and the innermost place of ours."""

    kind: str
    place: str
    trial: str
    text: str = field(compare=False)

    def is_like(self, other: "Failure | None") -> bool:
        """Return whether it is the same failure; what takes too long may be stopped anywhere."""
        if other and self.kind == other.kind == TooSlow.__name__:
            return self.trial == other.trial
        return self == other


@dataclass
class Search:
    """The state of a search: what is mutated, what has been seen, and where failures go."""

    random: Random
    pool: dict[str, list[Input]]
    bound: float
    into: Path
    seen: set[object] = field(default_factory=set)
    failures: Counter[Failure] = field(default_factory=Counter)
    tries: int = 0

    def step(self) -> None:
        """Try one input."""
        name = self.random.choice(list(self.pool))
        others = self.pool[self.random.choice(list(self.pool))]
        one = mutated(self.random, self.random.choice(self.pool[name]), [*self.pool[name], *others])
        self.tries += 1
        trials = TRIALS if self.tries % _WHOLE == 0 else (DETECTION, name)
        if failure := attempt(one, self.bound, trials):
            self.failures[failure] += 1
            if self.failures[failure] == 1:
                self._keep(one, failure)
        elif one.size() <= _SMALL and (said := told(one)) not in self.seen:
            self.seen.add(said)
            self._remember(one)

    def _remember(self, one: Input) -> None:
        pool = self.pool[one.format]
        if len(pool) < _POOL:
            pool.append(one)
        else:
            pool[self.random.randrange(len(pool))] = one

    def _keep(self, one: Input, failure: Failure) -> None:
        """Write the input as small as it gets, and say where."""
        until = time.monotonic() + SHRINKING

        def fails(files: Files) -> bool:
            smaller = Input(one.name, one.format, files)
            is_over = time.monotonic() > until
            return not is_over and failure.is_like(attempt(smaller, self.bound, [failure.trial]))

        files = shrunk(one.files, fails)
        digest = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:6]
        function = re.sub(r"\W", "", failure.place.split(":")[1])
        place = self.into / one.format / f"{failure.kind.lower()}-in-{function}-{digest}"
        for path, content in files.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_bytes(content)
        print(f"{place}: {failure.trial}\n{failure.text[-_SHOWN:]}", flush=True)


def attempt(one: Input, bound: float, trials: Iterable[str]) -> Failure | None:
    """Return the first thing that goes wrong with an input."""
    for trial in trials:
        try:
            replay(one, bound, [trial])
        except (Exception, TooSlow) as error:
            text = "".join(traceback.format_exception(error, limit=-6))
            return Failure(type(error).__name__, _place(error), trial, text)
    return None


def _place(error: BaseException) -> str:
    """Return module, function and line of the innermost frame that is ours, and not the one of the clock."""
    frames = [(Path(frame.filename), frame) for frame in traceback.extract_tb(error.__traceback__)]
    ours = [
        f"{path.stem}:{frame.name}:{frame.lineno}"
        for path, frame in frames
        if ("reportgen" in path.parts or path.parent == CORPUS.parent) and frame.name != "stop"
    ]
    return ours[-1]


def told(one: Input) -> object:
    """Return in rough what its reader says of an input: the kinds of findings, series and figures."""
    found = [each for view in parts(one.format, one) for each in format_named(one.format).read(view)]
    return one.format, frozenset(_told(each) for each in found[:20])


def _told(found: Run | Finding) -> object:
    if isinstance(found, Finding):
        return found.rule, found.message[:20]
    return (
        found.status,
        frozenset(finding.rule for finding in found.findings),
        frozenset((one.metric, one.phase[:9], one.clock, len(one.step).bit_length() // 2) for one in found.series),
        frozenset((one.metric, one.statistic) for one in found.aggregates),
        len(found.factors), found.samples_per_step is None,
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run for the given time; exit code 1 if anything was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long to look, all in all")
    parser.add_argument(
        "--formats", nargs="+", choices=list(VALID_LOGS), default=list(VALID_LOGS), metavar="NAME"
    )
    parser.add_argument("--seed", type=int, default=None, help="for the same mutations again")
    parser.add_argument("--bound", type=float, default=2, help="s of processor time that a reader may take")
    parser.add_argument("--into", type=Path, default=CORPUS, help="where to write what was found")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    seed = given.seed if given.seed is not None else time.time_ns() % 2**32
    pool: dict[str, list[Input]] = {name: [] for name in given.formats}
    for one in (*valid(), *kept(), *written()):
        if one.format in pool:
            pool[one.format].append(one)
    search = Search(Random(seed), pool, given.bound, given.into)
    print(f"seed {seed}, {sum(map(len, pool.values()))} inputs to begin with", flush=True)
    until = time.monotonic() + given.seconds
    while time.monotonic() < until:
        search.step()
    print(summary(search.tries, search.pool, search.failures))
    return 1 if search.failures else 0


def summary(tries: int, pool: Mapping[str, Sequence[Input]], failures: Counter[Failure]) -> str:
    """Return what a search came to."""
    lines = [f"{tries} inputs tried, {sum(map(len, pool.values()))} that said something new"]
    lines += [
        f"{count:6d} x {failure.kind} in {failure.place}, {failure.trial}"
        for failure, count in failures.most_common()
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
