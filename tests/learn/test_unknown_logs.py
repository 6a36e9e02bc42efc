"""Logs of an unknown format: `init` learns those without a doubt, and leaves the others to a person."""

from pathlib import Path

import pytest

from reportgen.learn import learn_logs
from reportgen.load.unrecognised import UnknownFolder

LINE = "step {} loss 3.{} time 0.4{}s\n"


def lines(line: str = LINE, every: int = 1) -> str:
    return "".join(line.format(n * every, n % 7, n % 5) for n in range(1, 40))


def learned(root: Path, *texts: str, is_alone: bool = True) -> dict[str, bytes]:
    (root / "logs").mkdir()
    paths = tuple(f"logs/{n}.log" for n in range(len(texts)))
    for path, text in zip(paths, texts, strict=True):
        (root / path).write_text(text)
    return learn_logs(root, [UnknownFolder("logs", paths)], "logs", is_alone=is_alone)


def test_logs_that_speak_for_themselves_get_a_definition(tmp_path: Path) -> None:
    text = learned(tmp_path, lines(), "model x\n" + lines())["logs/labels.toml"].decode()
    first, second, *_ = text.splitlines()
    assert first.startswith("# Proposed by `reportgen learn 0.log`")
    assert second == "# Accepted by `reportgen init`, since nothing was in doubt: check it."
    assert "name = 'learned'" in text
    assert r"(?P<step_time_s>" in text


@pytest.mark.parametrize(
    "texts",
    [
        [lines("step {} loss 3.{} time 0.4{}\n")],  # no unit
        [lines(every=10)],  # the time of one step, or of ten
        [lines() * 2],  # several lines of a step
        [lines() + "step 50 loss nan time 0.40s, slow 3\nstep 51 loss 3.1 time unknown\n"],
        [lines(), "epoch 1 took 3.0s\n" * 5],  # another format
        [lines("{} {} {}\n")],
        ["a note\n"],
    ],
)
def test_logs_in_doubt_are_left_to_a_person(tmp_path: Path, texts: list[str]) -> None:
    assert learned(tmp_path, *texts) == {}


def test_neither_a_labels_toml_nor_known_logs_are_overruled(tmp_path: Path) -> None:
    assert learned(tmp_path, lines(), is_alone=False) == {}
    (tmp_path / "logs/labels.toml").write_text("")
    folder = UnknownFolder("logs", ("logs/0.log",))
    assert learn_logs(tmp_path, [folder], "logs", is_alone=True) == {}
