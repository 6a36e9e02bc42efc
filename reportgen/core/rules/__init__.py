"""The rules of findings: one constant and one Markdown page (`<id>.md`) each.

A constant holds the id and the severities that its findings may have. The page beside this file
says what the rule means, when it is raised, why it matters, and what to do.

A new rule is a constant here, a page, and a function that raises it: most are in `protocol.run_checks`,
`protocol.telemetry_checks` and `protocol.case_checks`. `python -m tests.documentation.generated` renews
docs/reference/rules.md.
"""

import re
from enum import StrEnum
from pathlib import Path
from typing import Literal

from reportgen.core.errors import RequestError, did_you_mean

Severity = Literal["note", "warning", "invalid"]
SEVERITIES: tuple[Severity, ...] = ("invalid", "warning", "note")  # the worst first


class Rule(StrEnum):
    """The subject of a finding. The text of a rule is its id, such as `protocol.gap`."""

    severities: tuple[Severity, ...]

    def __new__(cls, id: str, *severities: Severity) -> "Rule":
        """Make the text of a rule its id."""
        rule = str.__new__(cls, id)
        rule._value_ = id
        rule.severities = severities
        return rule

    CLOCK_COARSE = "clock.coarse", "warning", "invalid"
    CLOCK_CONTRADICTION = "clock.contradiction", "warning", "invalid"
    CLOCK_DISAGREEMENT = "clock.disagreement", "note", "warning", "invalid"
    CLOCK_IMPLAUSIBLE = "clock.implausible", "invalid"
    CLOCK_NO_DEVICE_TIME = "clock.no-device-time", "warning"
    CLOCK_UNSYNCHRONISED = "clock.unsynchronised", "note", "warning"
    ENVIRONMENT_VARIES = "environment.varies", "warning"
    EXPECTED_INCONSISTENT = "expected.inconsistent", "warning"
    EXPECTED_NO_PATH = "expected.no-path", "note"
    LOG_COMMUNICATION = "log.communication", "note"
    LOG_COMPUTE = "log.compute", "note"
    LOG_DATA_LOADING = "log.data-loading", "note"
    LOG_MEMORY = "log.memory", "note"
    PROSE_UNBACKED_NUMBER = "prose.unbacked-number", "warning"
    PROTOCOL_AGGREGATE_ONLY = "protocol.aggregate-only", "note"
    PROTOCOL_COARSE_INTERVAL = "protocol.coarse-interval", "note"
    PROTOCOL_DRIFT_ACROSS_REPEATS = "protocol.drift-across-repeats", "warning"
    PROTOCOL_FEW_REPEATS = "protocol.few-repeats", "note", "warning"
    PROTOCOL_GAP = "protocol.gap", "note", "warning"
    PROTOCOL_LEVEL_SHIFT = "protocol.level-shift", "warning"
    PROTOCOL_MISSING_REPEATS = "protocol.missing-repeats", "warning"
    PROTOCOL_MIXED = "protocol.mixed", "warning"
    PROTOCOL_NO_NUMBER = "protocol.no-number", "warning"
    PROTOCOL_NOT_STEADY = "protocol.not-steady", "warning"
    PROTOCOL_OUTLIERS = "protocol.outliers", "warning"
    PROTOCOL_POOLED_FOLDERS = "protocol.pooled-folders", "note", "warning"
    PROTOCOL_SAME_TIME = "protocol.same-time", "warning"
    PROTOCOL_SHORT_WINDOW = "protocol.short-window", "warning"
    PROTOCOL_SPREAD = "protocol.spread", "warning"
    PROTOCOL_TWO_GROUPS = "protocol.two-groups", "warning"
    PUBLISH_EDITED = "publish.edited", "warning"
    PUBLISH_UNKNOWN_FILE = "publish.unknown-file", "warning"
    RANK_STRAGGLER = "rank.straggler", "warning"
    RATE_ABOVE_PEAK = "rate.above-peak", "invalid"
    RATE_CONTRADICTION = "rate.contradiction", "warning", "invalid"
    RATE_DISAGREEMENT = "rate.disagreement", "warning", "invalid"
    RATE_IMPLAUSIBLE = "rate.implausible", "warning", "invalid"
    READ_ALIAS_MERGES_DEVICES = "read.alias-merges-devices", "note"
    READ_AMBIGUOUS_FORMAT = "read.ambiguous-format", "warning"
    READ_CONTRADICTION = "read.contradiction", "warning", "invalid"
    READ_CORRECTED_FIGURE = "read.corrected-figure", "note"
    READ_DAMAGED_FILE = "read.damaged-file", "warning"
    READ_DUPLICATE_RUN = "read.duplicate-run", "warning"
    READ_EXCERPT = "read.excerpt", "note", "warning"
    READ_FAILED_RUN = "read.failed-run", "note", "warning"
    READ_INCOMPLETE_RUN = "read.incomplete-run", "warning"
    READ_LABEL_CONFLICT = "read.label-conflict", "warning"
    READ_LARGE_FILE = "read.large-file", "warning"
    READ_MALFORMED_LINE = "read.malformed-line", "note", "warning"
    READ_MALFORMED_SOURCE = "read.malformed-source", "invalid"
    READ_NEWER_VERSION = "read.newer-version", "invalid"
    READ_NO_RUN = "read.no-run", "warning"
    READ_NO_STEPS = "read.no-steps", "note"
    READ_OWN_TABLE = "read.own-table", "note"
    READ_PACKED_FILE = "read.packed-file", "warning"
    READ_PROFILE = "read.profile", "note"
    READ_REPEAT_COLLISION = "read.repeat-collision", "warning"
    READ_SEVERAL_OPTIMIZERS = "read.several-optimizers", "warning"
    READ_SEVERAL_RUNS = "read.several-runs", "warning"
    READ_STATED_PROBLEM = "read.stated-problem", "note", "warning", "invalid"
    READ_UNASSIGNED_EVIDENCE = "read.unassigned-evidence", "note"
    READ_UNREADABLE_FILE = "read.unreadable-file", "warning", "invalid"
    READ_UNUSED_LABEL = "read.unused-label", "note", "warning"
    TABLE_HIDDEN_VARIATION = "table.hidden-variation", "warning"
    TABLE_LOOK_ALIKE = "table.look-alike", "warning"
    TABLE_MISSING_BASELINE = "table.missing-baseline", "note"
    TABLE_MISSING_REQUIRED = "table.missing-required", "warning"
    TABLE_NOT_COMPARABLE = "table.not-comparable", "warning"
    TABLE_SETS_DIFFER = "table.sets-differ", "note"
    TABLE_UNNAMED_FACTOR = "table.unnamed-factor", "warning"
    TABLE_UNSTATED_DEVICE = "table.unstated-device", "warning"
    TABLE_UNUSED_NAME = "table.unused-name", "note"
    TELEMETRY_CLOCK_LOCK = "telemetry.clock-lock", "warning"
    TELEMETRY_COVERAGE = "telemetry.coverage", "note"
    TELEMETRY_DEVICE_LOST = "telemetry.device-lost", "warning"
    TELEMETRY_HOST_BOUND = "telemetry.host-bound", "note"
    TELEMETRY_OTHER_PROCESS = "telemetry.other-process", "warning"
    TELEMETRY_POWER_CAPPED = "telemetry.power-capped", "note", "warning"
    TELEMETRY_THROTTLED = "telemetry.throttled", "note", "warning"
    TELEMETRY_XID = "telemetry.xid", "warning"

    @property
    def short(self) -> str:
        """Return the last part of the id, such as `gap`; the whole id if rules share the last part."""
        return short_name(self.value)

    @property
    def page(self) -> str:
        """Return the text of the Markdown page."""
        return Path(__file__).with_name(f"{self.value}.md").read_text("utf-8")

    @property
    def summary(self) -> str:
        """Return the first sentence of the page."""
        _, _, body = self.page.split("\n\n", 2)
        paragraph = body.split("\n\n", 1)[0].replace("\n", " ")
        return re.split(r"(?<=\.) ", paragraph, maxsplit=1)[0]

    @property
    def remedy(self) -> str:
        """Return the section of the page that says what to do, on one line."""
        return " ".join(self.page.partition("\n## Remedy\n")[2].partition("\n## ")[0].split())


def short_name(id: str) -> str:
    """Return the last part of the id of a rule, such as `gap`; the whole id if rules share the last part."""
    _, _, last = id.partition(".")
    return last if sum(rule.value.endswith(f".{last}") for rule in Rule) <= 1 else id


def known_rule(id: str) -> Rule | None:
    """Return the rule of that id; None for a rule of another version or program."""
    return Rule(id) if id in list(Rule) else None


def find_rule(id: str) -> Rule:
    """Return the rule of that id; RequestError with the nearest known id if there is none."""
    if id not in list(Rule):
        raise RequestError(id, "no such rule", did_you_mean(id, Rule))
    return Rule(id)
