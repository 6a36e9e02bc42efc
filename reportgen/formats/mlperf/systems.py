"""Read the description of a system in a submission: `systems/<system>.json`, of training and inference."""

import re
from collections.abc import Mapping
from typing import Any, TypeGuard

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue
from reportgen.formats.parsing.json_values import load, table

# Keys of a system description -> factor, or name in the environment.
_SYSTEM_FACTORS: Mapping[str, str] = {
    "division": "division", "status": "availability", "framework": "framework",
    "accelerator_model_name": "device",
}  # fmt: skip
_SYSTEM_FACTS: Mapping[str, str] = {
    "host_processor_model_name": "cpu", "host_processors_per_node": "cpus_per_node",
    "host_memory_capacity": "memory", "operating_system": "os",
    "accelerator_memory_capacity": "device_memory", "accelerator_interconnect": "interconnect",
    "host_networking": "network", "system_name": "system_name", "submitter": "submitter_name",
}  # fmt: skip
# What NVIDIA's programs, NeMo and LBANN print until a submitter replaces it.
_PLACEHOLDER = lazy_pattern(r"PLACEHOLDER|\A\s*(?:Umbrella Corp\.?|\?|reference_implementation)\s*\Z")

Values = dict[str, FactorValue]


def is_stated(value: object) -> TypeGuard[str]:
    """Return whether a value is a text and no placeholder of a program."""
    return isinstance(value, str) and not _PLACEHOLDER.search(value)


# The description of a system: numbers are texts, many are empty; the software is an object, a list or a text.


def read_system(content: bytes) -> tuple[Values, Values]:
    """Return (factors, environment) of a description; empty values and other types are skipped."""
    system = table(load(content))
    factors, environment = texts(system, _SYSTEM_FACTORS), texts(system, _SYSTEM_FACTS)
    factors |= counts(system.get("number_of_nodes"), system.get("accelerators_per_node"))
    software, words = system.get("other_software_stack"), []
    for part in software if isinstance(software, list) else [software]:
        if isinstance(part, dict):
            environment |= texts(part, {str(name): f"software.{name}" for name in part})
        elif isinstance(part, str) and part.strip():
            words.append(part.strip())
    return factors, environment | ({"software": ", ".join(words)} if words else {})


def texts(values: Mapping[str, Any], names: Mapping[str, str]) -> Values:
    """Return the texts below these keys, by the names that they have here; placeholders are left out."""
    pairs = ((name, values.get(key)) for key, name in names.items())
    return {name: text.strip() for name, text in pairs if is_stated(text) and text.strip()}


def counts(*texts: object) -> Values:
    """Return nodes and devices from the texts of nodes and devices per node, as far as they are numbers."""
    matches = [re.fullmatch(r"\s*([0-9]{1,9})\s*", str(text)) for text in texts]
    nodes, per_node = (int(match[1]) if match else 0 for match in matches)
    counts = {"nodes": nodes, "devices": nodes * per_node}
    return {name: count for name, count in counts.items() if count}
