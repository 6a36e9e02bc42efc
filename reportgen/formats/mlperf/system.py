"""Read the description of a system in an MLPerf submission, `systems/<system>.json`, or in a log of v0.6.

All numbers are texts there and many are empty; the software is an object, a list or one text. What decides
a case becomes factors, the rest environment.
"""

import re
from collections.abc import Mapping
from typing import Any

from reportgen.core.model import FactorValue
from reportgen.formats.parsing.json_values import load, table

_FACTORS: Mapping[str, str] = {
    "division": "division",
    "status": "availability",
    "framework": "framework",
    "accelerator_model_name": "device",
}
_ENVIRONMENT: Mapping[str, str] = {
    "host_processor_model_name": "cpu", "host_processors_per_node": "cpus_per_node",
    "host_memory_capacity": "memory", "operating_system": "os",
    "accelerator_memory_capacity": "device_memory", "accelerator_interconnect": "interconnect",
    "host_networking": "network", "system_name": "system_name", "submitter": "submitter_name",
}  # fmt: skip
_SOFTWARE = "other_software_stack"
_ENTRY = re.compile(r"'(accelerator|framework|num_nodes|num_accelerators)': '([^'\\]{1,99})'")


def read_system(content: bytes) -> tuple[dict[str, FactorValue], dict[str, FactorValue]]:
    """Return (factors, environment); what is empty or no text is left out."""
    system = table(load(content))
    factors: dict[str, FactorValue] = dict(_texts(system, _FACTORS))
    nodes, per_node = _count(system.get("number_of_nodes")), _count(system.get("accelerators_per_node"))
    if nodes:
        factors["nodes"] = nodes
        if per_node:
            factors["devices"] = nodes * per_node
    environment: dict[str, FactorValue] = dict(_texts(system, _ENVIRONMENT))
    software = system.get(_SOFTWARE)
    words = []
    for part in software if isinstance(software, list) else [software]:
        if isinstance(part, dict):
            environment |= _texts(part, {str(name): f"software.{name}" for name in part})
        elif isinstance(part, str) and part.strip():
            words.append(part.strip())
    if words:
        environment["software"] = ", ".join(words)
    return factors, environment


def read_entry(text: object) -> dict[str, FactorValue]:
    """Return the factors in a `submission_entry` of v0.6: Python's text of a dictionary within another's."""
    found = dict(_ENTRY.findall(text)) if isinstance(text, str) else {}
    factors = dict(_texts(found, {"accelerator": "device", "framework": "framework"}))
    nodes, per_node = _count(found.get("num_nodes")), _count(found.get("num_accelerators"))
    counts = {"nodes": nodes, "devices": nodes * per_node}
    return factors | {name: count for name, count in counts.items() if count}


def _texts(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, FactorValue]:
    found = {ours: values.get(theirs) for theirs, ours in names.items()}
    return {name: text.strip() for name, text in found.items() if isinstance(text, str) and text.strip()}


def _count(value: Any) -> int:
    found = re.match(r"\s*([0-9]{1,9})\s*$", str(value))
    return int(found[1]) if found else 0
