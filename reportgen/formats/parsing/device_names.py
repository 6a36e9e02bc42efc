"""Shorten the name of a GPU to what tables of several sources have in common.

`nvidia-smi`, CUDA and torch print marketing names with form factor and memory ("Tesla V100-SXM2-32GB-LS",
"NVIDIA A100-SXM4-40GB"); published tables say V100 and A100. The full name belongs into the environment,
where a difference between two devices of one short name is noticed.
"""

from reportgen.core.lazy_pattern import lazy_pattern

# Letters and a number: V100, A40, H200, GB200, A6000, T4, P100. A GeForce or Quadro has no such word.
_MODEL = lazy_pattern(r"(?<![A-Za-z0-9])(GB|GH|[ABHKLMPTV])([0-9]{1,4})([A-Z]?)(?![A-Za-z0-9])")
_VENDOR = lazy_pattern(r"^(?:NVIDIA |Tesla )+")


def short_name(name: str) -> str:
    """Return V100 for "Tesla V100-SXM2-32GB"; a name without such a word only loses its vendor."""
    model = _MODEL.search(name)
    return model[0] if model else _VENDOR.sub("", name)
