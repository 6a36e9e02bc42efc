"""Known limits of the counters of models of GPUs, as data: each has a public source. A new limit is one line.

`doctor` prints those of the GPUs of this host. Values that are wrong on any model are left out of the
telemetry by `telemetry/known_faults.py`.
"""

import re
from typing import NamedTuple


class KnownLimit(NamedTuple):
    """A fact about a counter.

    models  pattern of the names of the models, as the driver writes them
    what    the counter, and the fact
    source  paper, documentation, or owner/repository#issue
    """

    models: str
    what: str
    source: str


LIMITS = (
    KnownLimit(r"\b[AH]100\b", "power: its sensor measures 25 % of the time", "arXiv:2312.02741"),
    KnownLimit(
        r"\b(TITAN X|TITAN Xp|GTX (9|10)\d\d|Tesla [KMP]\d+|P100)\b",
        "energy: no counter before Volta; power is recorded",
        "mlco2/codecarbon#1316",
    ),
    KnownLimit(
        r"\bMI100\b", "energy: the counter may not move until the host is restarted", "ROCm/amdsmi#38"
    ),
    KnownLimit(
        r"\bMI250X?\b", "power: the first die shows that of both, the second none", "ROCm/rocm_smi_lib#160"
    ),
    KnownLimit(r"\bArc\b.* A\d{3}\b", "temperature of the memory: no sensor", "intel/xpumanager#33"),
    KnownLimit(r"\bArc\b.* A750\b", "temperature: Level Zero has no sensor", "oneapi-src/level-zero#440"),
    KnownLimit(
        r"\bArc\b.* B580\b",
        "temperature: Level Zero shows 0 without CAP_DAC_READ_SEARCH; left out",
        "intel/xpumanager#92",
    ),
    KnownLimit(
        r"\bArc\b.* Pro B[67]0\b",
        "energy: the counter of Level Zero falls to almost 0 at times; the kernel's is recorded",
        "intel/compute-runtime#938",
    ),
    KnownLimit(
        r"\bArc\b.* Pro B60\b",
        "memory errors: Level Zero has none, even with ECC",
        "intel/compute-runtime#993",
    ),
)


def limits_of(model: str) -> list[KnownLimit]:
    """Return the known limits of a model."""
    return [limit for limit in LIMITS if re.search(limit.models, model)]
