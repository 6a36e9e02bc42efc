"""What `reportgen init` writes: one definition a campaign, the settings, labels where only paths tell."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from reportgen.autolayout.overview import definition_text
from reportgen.autolayout.path_factors import Levels, levels
from reportgen.core.model import Run
from reportgen.labels.labels_toml import NAME as LABELS
from reportgen.load import load_runs
from reportgen.load.unrecognised import UnrecognisedFile
from reportgen.protocol import available_metrics
from reportgen.report.settings import EXPECTED, SETTINGS

_SETTINGS = """\
# Settings of this repository's reports; see docs/reference/definitions.md of reportgen.

[inject]
files = ["README.md"]        # tables between <!-- reportgen:begin REPORT/TABLE --> markers follow the logs

# [protocols.long]           # a protocol of your own: protocol = "long" in a definition
# steps = "200+1000x7"
"""

_EXPECTED = """\
# Sourced facts about how fast one system should be against another.

# [systems]                  # a run belongs to the first system whose factors it matches
# "A40"  = { device = "A40" }
# "V100" = { device = ["V100", "Tesla V100-SXM2-16GB"] }

# [[fact]]
# of = "V100"                # V100 runs at 0.927 x the speed of A40
# to = "A40"
# speed = 0.927
# where = { devices = 8 }
# source = "where the figure stands"
# url = "https://..."
# read = 2024-02-17
"""


# What the labels call the levels is a guess that a person has to put right.
_LEVELS = """\
Runs whose logs say the same of themselves lie in folders or files of different names, e.g.
{example}
Call the levels what they are, {{name:int}} if they are numbers, {{repeat:int}} if they count repeats,
and {{_}} if they do not matter; see docs/reference/labels.md of reportgen.
"""


def holds_logs(folder: Path, root: Path) -> bool:
    """Return whether a folder holds logs and no definition of a report.

    Raises RequestError for wrong labels.
    """
    if any(path.name not in (LABELS, "source.toml") for path in folder.glob("*.toml")):
        return False
    recognised = load_runs([folder], root=root).recognised
    return any((root / path).is_dir() or UnrecognisedFile(path, 0, True).may_be_log for path in recognised)


def starters(
    reports: str, campaigns: Mapping[str, Sequence[Run]], is_there: Callable[[str], bool] = lambda path: False
) -> tuple[dict[str, bytes], list[str]]:
    """Return path below the root -> content, and remarks on what was found; `reports` is the folder's name.

    campaigns  folder of logs -> its runs; a campaign that measured nothing gets no definition
    is_there   whether a path below the root is taken: no labels are added to what is defined already
    """
    files = {f"{reports}/{SETTINGS}": _SETTINGS, f"{reports}/{EXPECTED}": _EXPECTED}
    remarks = []
    for log, runs in campaigns.items():
        path = f"{reports}/{log.rpartition('/')[2]}.toml"
        # A campaign may be called like one of our own files; its definition then goes by another name.
        path = path if path not in files else path.replace(".toml", "-campaign.toml")
        if is_there(path) or not any(available_metrics(run) for run in runs):
            continue
        found, labels = levels(runs), f"{log}/{LABELS}"
        if not found:
            files[path] = definition_text(runs, log)
        elif is_there(labels):
            files[path] = definition_text(runs, log, f"\nFor {labels}:\n{_explained(found)}{found.toml()}")
            remarks.append(f"{labels}: {_remark(found)}; {path} says how")
        else:
            files[labels] = _commented(_explained(found)) + found.toml()
            files[path] = definition_text(found.told(runs), log, guessed=found.names)
            remarks.append(f"{labels}: {_remark(found)}")
    return {path: text.encode("utf-8", "backslashreplace") for path, text in files.items()}, remarks


def _remark(found: Levels) -> str:
    return f"only the path tells some runs apart; give {', '.join(found.names)} a better name"


def _explained(found: Levels) -> str:
    return _LEVELS.format(example=json.dumps(found.example)[1:-1])


def _commented(text: str) -> str:
    return "".join(f"# {line}\n" for line in text.splitlines())
