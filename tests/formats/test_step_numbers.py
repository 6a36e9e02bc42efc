"""Steps over epochs, ranks without a name, logs that end early."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.model import Run, Source
from reportgen.formats.parsing.step_numbers import occurrences, over_epochs, ranks_by_running_mean, shortened


def test_steps_continue_over_the_epochs() -> None:
    step, breaks = over_epochs(np.array([3, 3, 4, 4, 5]), np.array([20, 40, 20, 40, 20]))
    assert step.tolist() == [20, 40, 60, 80, 100]
    assert [(border.step, border.kind) for border in breaks] == [(40, "epoch"), (80, "epoch")]


def test_occurrences_count_the_same_step() -> None:
    assert occurrences(np.array([1, 1, 2, 1, 2])).tolist() == [0, 1, 0, 2, 1]
    assert occurrences(np.array([], dtype=np.int64)).tolist() == []


@given(
    st.lists(st.lists(st.floats(0.2, 0.6), min_size=12, max_size=12), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
)
def test_ranks_are_recognised_in_any_order_of_lines(times: list[list[float]], random) -> None:  # type: ignore[no-untyped-def]
    # First steps that differ, as those of real ranks do, keep the means apart.
    times = [[5.0 + 2.5 * rank, *one] for rank, one in enumerate(times)]
    pending = [list(range(len(one))) for one in times]
    records = []
    while any(pending):
        rank = random.choice([number for number, left in enumerate(pending) if left])
        index = pending[rank].pop(0)
        records.append((rank, index, times[rank][index], sum(times[rank][: index + 1]) / (index + 1)))
    true, index, value, mean = (np.array(column) for column in zip(*records, strict=True))
    ranks = ranks_by_running_mean(index, value, mean, 0.0005)
    # The numbers may differ, the partition may not.
    assert len({(a, b) for a, b in zip(true.tolist(), ranks.tolist(), strict=True)}) == len(times)


def test_a_log_with_fewer_steps_than_it_plans_is_partial() -> None:
    run = Run("r", "x", Source("r.log"), {})
    assert shortened(run, 100, None) is run
    assert shortened(run, 100, 100) is run
    cut = shortened(run, 90, 100)
    assert (cut.status, cut.findings[0].rule, cut.findings[0].message) == (
        "partial",
        "read.incomplete-run",
        "the log ends at step 90 of 100",
    )
