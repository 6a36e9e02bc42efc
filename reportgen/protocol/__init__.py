"""From runs to cases: which steps count, what a run comes to, what a case of repeats comes to.

Runs go in, Measurements and Cases come out, with the findings of everything that was not as the
protocol asks. Everything here is a pure function of the runs. In the order of the work:

    rule       what the protocol is
    evidence   what a run has to measure with
    entries    its steps, by number and each once
    window     which of them count
    measure    one run, one number (bysteps: by its steps; devices: by its telemetry)
    checks     what may be wrong with a run; repeats  with a case
    cases      runs that agree are repeats of one case

`docs/explanation/protocol.md` explains the rules to those who read the numbers.
"""

from reportgen.protocol.available import available, unit_of
from reportgen.protocol.cases import cases
from reportgen.protocol.definition import DEFAULT, Protocol, parse_protocol
from reportgen.protocol.measure import FAILED, attempt, measure

__all__ = [
    "DEFAULT",
    "FAILED",
    "Protocol",
    "attempt",
    "available",
    "cases",
    "measure",
    "parse_protocol",
    "unit_of",
]
