"""A comparison of two cases in cycles of the SM clock instead of seconds, and its sentence."""

from dataclasses import dataclass

from reportgen.compare.verdict import Verdict, difference_text


@dataclass(frozen=True, slots=True)
class CycleComparison:
    """How the speeds of a case and its baseline compare per cycle.

    ratio         of the work per cycle; above 1 the case does more in a cycle
    seconds       the same ratio per second
    clock, baseline_clock  mean SM clocks during the measured steps, in Hz, medians of the repeats
    verdict       on the work per cycle, by the same test as that on the speeds
    is_host_bound whether the steps of one of the two waited for the host
    """

    ratio: float
    seconds: float
    clock: float
    baseline_clock: float
    verdict: Verdict
    is_host_bound: bool = False

    def explains(self, verdict: Verdict | None) -> bool:
        """Return whether the clocks explain a verdict on the speeds: per cycle there is no difference."""
        is_difference = verdict is not None and verdict.kind in ("faster", "slower")
        return is_difference and self.verdict.kind == "same" and not self.is_host_bound

    def sentence(self, verdict: Verdict | None) -> str:
        """Return both ratios and both clocks, to be quoted; `verdict` is the one on the speeds."""
        own, base = (f"{clock / 1e6:,.0f} MHz" for clock in (self.clock, self.baseline_clock))
        because = ": clocks, not code" if self.explains(verdict) else ""
        return (
            f"{difference_text(self.seconds)} in seconds, {difference_text(self.ratio)} in cycles{because} "
            f"(SM clock {own}; {base} in the baseline)"
        )
