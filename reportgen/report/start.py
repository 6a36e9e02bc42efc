"""What `reportgen init` writes: one definition a campaign, the settings, and git's ignore rules."""

from collections.abc import Mapping, Sequence

from reportgen.model import Run
from reportgen.report.overview import definition_text
from reportgen.report.settings import EXPECTED, SETTINGS

_SETTINGS = """\
# Settings of this repository's reports; see docs/definitions.md of reportgen.

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


def starters(reports: str, campaigns: Mapping[str, Sequence[Run]]) -> dict[str, bytes]:
    """Return path below the root -> content; `reports` is the folder's name.

    campaigns  folder of logs -> its runs; a campaign without runs gets no definition
    """
    files = {f"{reports}/{SETTINGS}": _SETTINGS, f"{reports}/{EXPECTED}": _EXPECTED}
    for log, runs in campaigns.items():
        path = f"{reports}/{log.rpartition('/')[2]}.toml"
        # A campaign may be called like one of our own files; its definition then goes by another name.
        path = path if path not in files else path.replace(".toml", "-campaign.toml")
        if runs:
            files[path] = definition_text(runs, log)
    return {path: text.encode("utf-8", "backslashreplace") for path, text in files.items()}
