"""From runs to cases: which steps count, the number of a run, the median of its repeats.

Runs go in; Measurements and Cases come out, with findings about everything that differs from what the
protocol asks. In the order of the work:

    definition    what the protocol is
    available     what a run has to measure with, and the refusal of what no run has
    steps         its entries, ordered by step, each step once
    window        which of them count
    measured_run  what the metrics and tables of a build share about a run
    measure       one run, one number (by its steps, its telemetry or its aggregates)
    run_checks, telemetry_checks, case_checks    findings about a run and about a case
    cases         runs that agree in all factors are repeats of one case

`docs/explanation/protocol.md` explains the rules to readers of the numbers.
"""

from reportgen.protocol.available import available_metrics, check_metrics, check_quantities, unit_of
from reportgen.protocol.cases import CaseRequest, build_cases
from reportgen.protocol.definition import DEFAULT, Protocol, parse_protocol
from reportgen.protocol.measure import FAILED_STATUSES, measure_run, no_number_at_all, try_measure
from reportgen.protocol.measured_run import Attempt, MeasuredRun, MeasuredRuns

__all__ = [
    "DEFAULT",
    "FAILED_STATUSES",
    "Attempt",
    "CaseRequest",
    "MeasuredRun",
    "MeasuredRuns",
    "Protocol",
    "available_metrics",
    "build_cases",
    "check_metrics",
    "check_quantities",
    "measure_run",
    "no_number_at_all",
    "parse_protocol",
    "try_measure",
    "unit_of",
]
