"""Read the samples that nvbench leaves beside its JSON: little-endian float32, a file for each state.

The JSON names a file by a path of the machine that wrote it, or by one from its own folder. Of either only
the last two parts count, `<name>.json-bin/<number>.bin`, below the folder of the JSON, so that no path leads
elsewhere. A sample is one launch, and so a step. Of each file the first MOST are read, several times what is
measured of a run: a short kernel has hundreds of thousands, and a JSON may have hundreds of states.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from reportgen.core.model import Series
from reportgen.formats.parsing.damage import Malformed
from reportgen.sources.logfiles import LogFiles

TAG = "nv/json/bin:nv/cold/sample_times"
MOST = 1000
_WIDTH = 4
_NAME = re.compile(r"[\w .,+=@%()~-]{1,200}-bin/[0-9]{1,9}\.bin")
_VALUE = re.compile(rb'"value"\s{0,9}:\s{0,9}"([^"\n]{1,400})"')


def named_in(head: bytes) -> tuple[str, ...]:
    """Return where the files lie that the begin of a JSON document names."""
    places = (_place(text.decode("utf-8", "replace")) for text in _VALUE.findall(head))
    return tuple(dict.fromkeys(place for place in places if place))


@dataclass(slots=True)
class Samples:
    """The files beside one JSON document; each is read for one state, what is wrong with them is noted."""

    files: LogFiles
    malformed: Malformed
    _read: set[str] = field(default_factory=set)

    def of(self, summary: Mapping[str, str], line: int) -> tuple[Series, ...]:
        """Return the samples of the state in a line, by the `filename` and `size` of its summary."""
        name = _place(summary.get("filename", ""))
        beside = self.files.read_sibling_head(name, MOST * _WIDTH) if name else None
        if beside is None:
            fault = "a state whose file of samples is not beside the JSON, or was not read with it"
        elif name in self._read:
            fault = "a state whose file of samples is that of another"
        elif beside[1] % _WIDTH or summary.get("size") != str(beside[1] // _WIDTH):
            fault = "a state whose file of samples has not four bytes for each of them"
        else:
            self._read.add(name)
            return self._series(name, beside[0])
        self.malformed.add(line, fault)
        return ()

    def _series(self, name: str, content: bytes) -> tuple[Series, ...]:
        value = np.frombuffer(content[: len(content) // _WIDTH * _WIDTH], dtype="<f4").astype(np.float64)
        n, unknown = len(value), np.full(len(value), np.nan)
        step, one, no_line = np.arange(1, n + 1), np.ones(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        source = self.files.source(name)
        return (
            Series(
                "latency",
                phase="cold_gpu",
                clock="cuda_event",
                step=step,
                span=one,
                begin=unknown,
                value=value,
                samples=unknown,
                line=no_line,
                source=source,
            ),
        )


def _place(path: str) -> str:
    """Return the last two parts of a path where they name a file of samples, else ""."""
    place = "/".join(re.split(r"[/\\]+", path[-400:])[-2:])
    return place if _NAME.fullmatch(place) else ""
