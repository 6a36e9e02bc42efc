"""List the log formats in order of specificity. A new format is one file and one line here.

Families of result tables are one TOML file each and have no line here (`formats.tables`).

docs/developers/add-a-trainer.md lists what a format needs besides code.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib import import_module

import re2

from reportgen.formats.base import Format
from reportgen.formats.parsing.exit_status import ERRORS
from reportgen.formats.parsing.log_warnings import WARNINGS
from reportgen.formats.parsing.text_log import without_controls
from reportgen.formats.tables import families
from reportgen.sources.logfiles import LogFiles

# Modules below this package, the more specific format first: it wins if two claims are equally confident.
_MODULES = (
    "custom.reader",
    "tables.own",
    "native.reader",
    "published.reader",
    "mlperf.reader",
    "mlperf.loadgen",
    "lightning.reader",
    "benchmarks.jade",
    "benchmarks.benchmarktools",
    "dlperf.hugectr",
    "dlperf.insightface",
    "dlperf.mindspore",
    "dlperf.mxnet",
    "dlperf.oneflow",
    "dlperf.paddle",
    "trainers.pytorch_examples",
    "dlperf.tensorflow_models",
    "nvidia_smi.reader",
    "nvidia_smi.dcgmi",
    "profiles.reader",
    "nvidia_dle.bertsquad",
    "nvidia_dle.gnmt",
    "nvidia_dle.maskrcnn",
    "nvidia_dle.ssd",
    "nvidia_dle.tacotron",
    "nvidia_dle.transformer",
    "nvidia_dle.transformerxl",
    "nvidia_dle.nvlog",
    "nvidia_dle.dllogger",
    "trainers.torchtitan",
    "trainers.megatron",
    "trainers.nanochat",
    "trainers.llmc",
    "trainers.nanogpt",
    "trainers.modded_nanogpt",
    "trainers.timm",
    "trainers.detectron2",
    "trainers.ultralytics",
    "trainers.yolox",
    "trainers.fairseq",
    "trainers.torchtune",
    "trainers.olmo",
    "trainers.maxtext",
    "trainers.verl",
    "trainers.keras",
    "trackers.tensorboard",
    "trackers.mlflow",
    "trackers.mlflow_db",
    "trackers.wandb",
    "trackers.wandb_csv",
    "trackers.wandb_history",
    "trainers.torchvision",
    "mmengine.reader",
    "trainers.nemo",
    "trainers.deepspeed",
    "huggingface.hf_trainer",
    "huggingface.optimum_benchmark",
    "benchmarks.nvbench",
    "benchmarks.superbench",
    "benchmarks.torchbench",
    "benchmarks.pickled",
    "tqdm.reader",
    "tables.own_table",
    "tables.parquet",
)


class Registry:
    """Formats in order of specificity, with one search for the marks of all of them.

    To search for one mark after the other would take longer than to read the file; one automaton takes as
    long as six searches. It also finds the literals that text logs are searched for (warnings, errors).
    """

    def __init__(self, formats: Iterable[Format]) -> None:
        self._formats = tuple(formats)
        self._of_folders = [known for known in self._formats if known.views != "files"]
        self._unmarked = {
            position
            for position, known in enumerate(self._formats)
            if not known.marks and known.views != "folders"
        }
        self._marked = [position for position, known in enumerate(self._formats) for _ in known.marks]
        # Those of the marks come first.
        marks = [mark for known in self._formats for mark in known.marks]
        self._literals = (*marks, *sorted(WARNINGS | ERRORS))

    def __iter__(self) -> Iterator[Format]:
        return iter(self._formats)

    def candidates(self, files: LogFiles) -> list[Format]:
        """Return the formats that could claim a view: of a file those whose marks or settings it has."""
        if files.is_folder:
            return self._of_folders
        path, settings = files.path, files.settings
        # Formats read the text without colours and NUL bytes, which may be inside a mark.
        head = without_controls(files.head(path))
        matches = self._search.Match(b"%b\n%b" % (path.encode(), head)) or ()
        files.keep_literals(path, frozenset(self._literals[number] for number in matches))
        marks = (number for number in matches if number < len(self._marked))
        positions = self._unmarked.union(self._marked[number] for number in marks)
        if settings:
            positions |= {position for position, known in enumerate(self._formats) if known.name in settings}
        return [self._formats[position] for position in sorted(positions)]

    @cached_property
    def _search(self) -> re2.Set:
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1  # accept any bytes, UTF-8 or not
        automaton = re2.Set.SearchSet(options)
        for literal in self._literals:
            automaton.Add(re2.escape(literal.decode("ascii")))
        automaton.Compile()
        return automaton


_BY_MODULE: dict[str, Format] = {name: import_module(f"reportgen.formats.{name}").FORMAT for name in _MODULES}
FORMATS = Registry((*_BY_MODULE.values(), *families.formats()))

# Packages whose formats are the programs of one suite of benchmarks.
_SUITES = ("dlperf", "mlperf", "nvidia_dle")
_SUITE_OF = {
    known.name: package
    for module, known in _BY_MODULE.items()
    if (package := module.partition(".")[0]) in _SUITES
}


def suite_of(format: str) -> str:
    """Return the suite of benchmarks that a format belongs to, the format itself if to none."""
    return _SUITE_OF.get(format, format)
