"""Take factors from the parameters that a program logged with a tracker: those with a usual name.

Others may be anything, also folders, accounts and keys, and are not read.
"""

from collections.abc import Mapping

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue
from reportgen.formats.parsing.text_log import positive

_COUNTS = {
    "batch_size": "batch_size", "global_batch_size": "global_batch_size",
    "micro_batch_size": "micro_batch_size", "per_device_train_batch_size": "micro_batch_size",
    "gradient_accumulation_steps": "gradient_accumulation_steps", "seq_len": "seq_len",
    "max_seq_length": "seq_len", "devices": "devices", "num_gpus": "devices", "world_size": "devices",
}  # fmt: skip
_WORDS = {"model": "model", "model_name": "model", "model_name_or_path": "model", "precision": "precision"}
_WORD = lazy_pattern(r"[\w.+-]{1,80}")
NAMES = (*_COUNTS, *_WORDS)


def usual_factors(parameters: Mapping[str, str]) -> dict[str, FactorValue]:
    """Return the factors among the parameters; of a path, its last part: folders name people and machines."""
    factors: dict[str, FactorValue] = {}
    for name in NAMES:
        text = parameters.get(name, "").strip()
        value: FactorValue | None = positive(text)
        if name in _WORDS:
            word = text.rstrip("/").replace("\\", "/").rpartition("/")[2]
            value = word if _WORD.fullmatch(word) else None
        if value:
            factors.setdefault(_COUNTS.get(name) or _WORDS[name], value)
    return factors
