"""The vocabulary of a contract: what logs, commands and labels call the same condition.

A log writes `seq_len`, another `config.max_seq_length`, a command `--sequence-length`. Each is the term
`sequence_length`. A ratio of cases with different work means nothing; a reader must know of the
other differences.
"""

from collections.abc import Mapping
from functools import lru_cache

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern

# What readers of a log put before the name of an option: `config.seq_len`, `args/seq_len`.
_GROUPS = (
    r"(?:(?:config|cfg|args|hparams|hyper_?parameters|params|options|settings|train|training|trainer)[./])*"
)
_OF_GPU = r"(?:gpu\.[^.]+\.|gpu_)?"

_WORK: Mapping[str, str] = {
    "dataset": r"data_?set(?:_name)?",
    "model": r"model(?:_name(?:_or_path)?)?",
    "model_revision": r"(?:model_)?revision|model_(?:commit|sha|version)",
    "tokenizer": r"tokenizer(?:_name(?:_or_path)?|_path)?",
    "sequence_length": r"(?:max_)?seq(?:uence)?_?len(?:gth)?|max_length|context_length|n_ctx",
    "image_size": r"(?:image|img|crop)_?size|resolution",
    "batch_size": r"(?:(?:per_device_|per_gpu_)?train_)?batch_?size",
    "global_batch_size": r"global_(?:train_)?batch_?size",
    "micro_batch_size": r"micro_batch_?size|mbs|train_micro_batch_size_per_gpu",
    "gradient_accumulation_steps":
        r"gradient_accumulation(?:_steps)?|grad_accum(?:ulation)?(?:_steps)?|accumulate_grad_batches",
    "precision": r"precision|mixed_precision|(?:torch_|compute_)?dtype",
}  # fmt: skip
_SETTINGS: Mapping[str, str] = {
    "optimizer": r"optimi[sz]er(?:_name)?|optim",
    "compile": r"(?:torch_?)?compile(?:_mode|_backend)?|xla|use_xla|jit",
    "num_workers": r"(?:num_|data_?loader_(?:num_)?)workers|workers",
    "container": r"container\.image(?:_id|_digest)?|container\.kind|container(?:_image)?|docker_image",
    "git_commit": r"git\.commit|git_commit|commit",
}
_OF_DEVICE: Mapping[str, str] = {
    "device_memory": _OF_GPU + r"(?:device_memory|memory_total|vram)(?:_bytes|_mi?b|_gi?b)?",
    "power_limit": _OF_GPU + r"power_limit(?:_enforced)?(?:_w|_watts?|_mw)?",
    "clock_limit": _OF_GPU
    + r"(?:(?:max(?:imum)?|locked|applications?)_(?:sm_|graphics_)?clocks?|(?:sm_|graphics_)?clocks?_"
    r"(?:max(?:imum)?|locked|limit|sm_max|graphics_max)|device_clock)(?:_m?hz)?",
}
# Versions that change speed, by their names in environments of our own and of other logs.
_VERSIONS: Mapping[str, str] = {
    "driver": r"driver(?:[._]version)?",
    "cpu": r"cpu(?:[._]model)?",
    "framework": r"(?:software\.)?(?:torch|pytorch|tensorflow|jax|mxnet|paddle)(?:[._]version)?",
    **{name: rf"(?:software\.)?{name}(?:[._]version)?|torch\.{name}" for name in ("cuda", "cudnn", "nccl")},
}
# Settings that change speed and keep their names; a log that has none of them has the defaults.
_BY_NAME = lazy_pattern(
    r"torch\.(?:float32_matmul_precision|matmul_allow_tf32|cudnn_allow_tf32|cudnn_benchmark|"
    r"deterministic_algorithms)|cpu\.cores_usable|git\.dirty|"
    r"(?:packages\.|software\.)?(?:transformers|pytorch_lightning|lightning|accelerate|deepspeed|flash[_-]attn|"
    r"apex|triton|julia)(?:_version)?"
)

# Environment variables that change speed; one that a log does not have was not set.
_VARIABLE = lazy_pattern(
    r"variables\.(?!(?:CUDA|NVIDIA)_(?:VISIBLE_DEVICES|DEVICE_ORDER|DRIVER_CAPABILITIES)|NCCL_DEBUG|PYTHONHASHSEED)(.+)"
)

VARIABLE = "variable "
WORK_TERMS = frozenset(_WORK)
# How much work a step is: a rate divides by it.
SIZE_TERMS = frozenset(("batch_size", "global_batch_size", "micro_batch_size", "gradient_accumulation_steps"))
SETTINGS = tuple(_SETTINGS)
DEVICE_TERMS = frozenset(_OF_DEVICE)
VERSIONS = tuple(_VERSIONS)
# Versions of what only a GPU has, or only several devices.
GPU_VERSIONS = frozenset(("driver", "cuda", "cudnn", "nccl"))

_QUANTITIES = {"power_limit": "W", "clock_limit": "MHz", "device_memory": "GiB"}
_NUMBER = lazy_pattern(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)")
# What one of a unit is in the unit of the term.
_SCALES = {
    "w": 1.0, "watt": 1.0, "watts": 1.0, "mw": 1e-3, "mhz": 1.0, "ghz": 1e3, "hz": 1e-6,
    "bytes": 2**-30, "b": 2**-30, "mib": 2**-10, "mb": 1e6 / 2**30, "gib": 1.0, "gb": 1e9 / 2**30,
}  # fmt: skip

_TERMS = {
    name: lazy_pattern(_GROUPS + rf"(?:{names})")
    for name, names in {**_WORK, **_SETTINGS, **_OF_DEVICE}.items()
}  # fmt: skip
_VERSION_NAMES = {name: lazy_pattern(names) for name, names in _VERSIONS.items()}


@lru_cache(maxsize=4096)
def version_of(name: str) -> str:
    """Return what a name of an environment gives the version of: "cuda" for "torch.cuda", "" for others."""
    return next((version for version, names in _VERSION_NAMES.items() if names.fullmatch(name)), "")


@lru_cache(maxsize=4096)
def term_of(name: str) -> str:
    """Return the term that a name of a factor, an option or an environment stands for, "" for none."""
    lower = name.lower()
    return next((term for term, names in _TERMS.items() if names.fullmatch(lower)), "")


@lru_cache(maxsize=4096)
def condition_name(name: str) -> str:
    """Return under which name an environment's value is a condition, "" if it does not change speed."""
    if version_of(name) or _BY_NAME.fullmatch(name):
        return name.removeprefix("software.")
    if variable := _VARIABLE.fullmatch(name):
        return f"{VARIABLE}{variable[1]}"
    return term_of(name)


def shown_value(term: str, value: object, name: str = "") -> str:
    """Return the value of a term, quantities in one unit: "300.0" of `power_limit_w` -> "300 W".

    name  where the value was found; it may end in the unit
    """
    text = str(value).strip()
    unit, match = _QUANTITIES.get(term), _NUMBER.fullmatch(text)
    if unit is None or match is None:
        return text
    number, own_unit = match.groups()
    scale = _SCALES.get((own_unit or name.rpartition("_")[2]).lower())
    return text if scale is None else quantity(term, float(number) * scale)


def quantity(term: str, value: float) -> str:
    """Return a quantity of a term, in the term's unit, as text."""
    return f"{units.text(value, digits=3)} {_QUANTITIES[term]}"
