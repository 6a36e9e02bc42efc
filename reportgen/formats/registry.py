"""The log formats, in order of specificity. A new format is one file and one line here."""

from importlib import import_module

from reportgen.formats.base import Format

# Modules below this package. The more specific format first: it wins where two claims are equally sure.
_MODULES = (
    "custom.reader",
    "native.reader",
    "published.reader",
    "mlperf.reader",
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
    "nvidia_dle.bertsquad",
    "nvidia_dle.gnmt",
    "nvidia_dle.maskrcnn",
    "nvidia_dle.ssd",
    "nvidia_dle.tacotron",
    "nvidia_dle.transformerxl",
    "nvidia_dle.nvlog",
    "nvidia_dle.dllogger",
    "trainers.torchtitan",
    "trainers.megatron",
    "trainers.nanochat",
    "trainers.llmc",
    "trainers.nanogpt",
    "trainers.timm",
    "benchmarks.timm_benchmark",
    "trainers.torchvision",
    "mmengine.reader",
    "trainers.nemo",
    "trainers.deepspeed",
    "huggingface.hf_trainer",
    "huggingface.optimum_benchmark",
    "benchmarks.llama_bench",
    "benchmarks.nvbench",
    "benchmarks.superbench",
    "benchmarks.torchbench",
    "benchmarks.pickled",
    "tqdm.reader",
)

FORMATS: tuple[Format, ...] = tuple(import_module(f"reportgen.formats.{name}").FORMAT for name in _MODULES)
