"""The fuzzer is reproducible, finds defects, and shrinks the inputs that show them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from reportgen.core.model import Finding, Run
from reportgen.labels import labels_toml
from reportgen.sources.logfiles import LogFiles
from tests.builders import format_named
from tests.formats.valid_logs import SETTINGS
from tests.fuzz import replay, run
from tests.fuzz.inputs import Input, kept, valid, written
from tests.fuzz.mutate import MOST, mutated
from tests.fuzz.run import Search, attempt, main
from tests.fuzz.shrink import Files, shrunk

pytestmark = [pytest.mark.slow, pytest.mark.no_cover]


def test_the_same_seed_makes_the_same_inputs() -> None:
    inputs = valid()

    def made() -> list[Input]:
        random = Random(7)
        return [mutated(random, inputs[number % len(inputs)], inputs) for number in range(300)]

    found = made()
    assert found == made()
    assert all(len(content) <= MOST for one in found for content in one.files.values())
    assert sum(one.files != inputs[number % len(inputs)].files for number, one in enumerate(found)) > 250


def test_an_input_is_shrunk_to_the_bytes_that_fail() -> None:
    def fails(files: Files) -> bool:
        return b"needle" in files.get("a", b"") and b"\n" in files["a"]

    assert shrunk({"a": b"hay\n" * 50 + b"needle" + b"hay" * 50, "b": b"more"}, fails) == {"a": b"\nneedle"}


def test_shrinking_stops_after_a_number_of_attempts() -> None:
    asked = []
    shrunk({"a": bytes(1000)}, lambda files: bool(asked.append(files)), tries=30)
    assert len(asked) == 30


def raises(content: bytes) -> None:
    if b"nan" in content:
        int(b"x")


def hangs(content: bytes) -> None:
    while b"nan" in content:
        pass


def swells(content: bytes) -> None:
    if b"nan" in content:
        bytearray(10**9)


@pytest.mark.parametrize(
    ("defect", "kind", "bound"),
    [(raises, "ValueError", 9.0), (hangs, "TooSlow", 0.3), (swells, "MemoryError", 9.0)],
)
def test_a_crash_is_found_and_saved(
    defect: Callable[[bytes], None], kind: str, bound: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = format_named("nanogpt")

    def read(files: LogFiles) -> Iterator[Run | Finding]:
        defect(files.bytes(files.path))
        yield from known.read(files)

    monkeypatch.setattr(replay, "format_named", lambda name: replace(known, read=read))
    inputs = [one for one in valid() if one.format == "nanogpt"]
    search = Search(Random(1), {"nanogpt": inputs}, bound=bound, into=tmp_path)
    monkeypatch.setattr(run, "SHRINKING", 0 if kind == "TooSlow" else 60)
    while not search.failures and search.tries < 2000:
        search.step()
    (failure,) = search.failures
    (one,) = kept(tmp_path)
    assert (failure.kind, one.format) == (kind, "nanogpt")
    assert failure.is_like(attempt(one, bound, [failure.trial]))
    # No more than a line that is claimed, and the three letters.
    assert kind == "TooSlow" or one.size() < 40


def test_inputs_with_new_results_are_mutated_again() -> None:
    inputs = [one for one in valid() if one.format == "nanogpt"]
    search = Search(Random(1), {"nanogpt": list(inputs)}, bound=5, into=Path("nowhere"))
    for _ in range(200):
        search.step()
    assert not search.failures
    assert len(inputs) < len(search.pool["nanogpt"]) < 100


def test_literals_of_a_test_become_inputs_of_its_format() -> None:
    assert {"dllogger", "mllog", "native"} <= {one.format for one in written()}


def test_the_command_ends_in_time_and_prints_a_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--seconds", "0", "--seed", "3", "--formats", "nanogpt", "--into", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("seed 3, ")


def test_disk_and_memory_inputs_have_the_same_settings() -> None:
    assert labels_toml.settings([labels_toml.parse(replay.LABELS.read_bytes(), "")]) == SETTINGS
