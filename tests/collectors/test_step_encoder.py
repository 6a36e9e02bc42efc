"""Steps of one shape are encoded at once, and give the same lines as events that come one by one."""

import random
from itertools import chain, repeat

from collectors.recorder.step_encoder import BREAK, SAMPLES, SPAN, STEP, SYNC, TOKENS, StepEncoder

COLUMNS = ["forward_host_ns", "forward_cuda_event_ns", "backward_host_ns", "data_loading_host_ns"]


def events_of(generator, steps):
    """Return (kind, begin, end) of a loop whose steps mostly have the same events, in a random order."""
    usual, *others = ([generator.choice([0, 1, 2, 3, SAMPLES, TOKENS]) for _ in range(4)] for _ in range(3))
    begin = now = 1000
    for _ in range(steps):
        for kind in usual if generator.random() < 0.9 else generator.choice(others):
            late = 50 if generator.random() < 0.01 else 0  # it began in the step before
            now += 3
            yield (kind, now - late, now + 5) if kind >= 0 else (kind, 32, now - late)
            now += 5
        for kind in (BREAK, SYNC, SPAN):
            if generator.random() < 0.01:
                yield (kind, 7 if kind == SPAN else now, now + 2)
                now += 2
        now += 1
        yield (STEP, begin, now)
        begin = now


def encoded(events, sizes):
    encoder = StepEncoder(list(COLUMNS), ["evaluation"])
    lines, start = [], 0
    while start < len(events):
        size = next(sizes)
        lines.append(encoder.encode(list(chain.from_iterable(events[start : start + size]))))
        start += size
    return "".join(lines) + encoder.remaining_lines()


def test_the_lines_do_not_depend_on_how_many_events_are_encoded_at_once():
    for seed in range(200):
        generator = random.Random(seed)
        events = list(events_of(generator, 60))
        one_by_one = encoded(events, repeat(1))
        assert encoded(events, repeat(len(events))) == one_by_one, seed
        sizes = [generator.randrange(1, 80) for _ in events]
        assert encoded(events, iter(sizes)) == one_by_one, seed


def test_samples_and_phases_of_usual_steps_are_in_their_columns():
    events = []
    for begin in range(0, 40, 10):
        events += [(2, begin + 1, begin + 4), (SAMPLES, 32, begin + 5), (0, begin + 6, begin + 7)]
        events.append((STEP, begin, begin + 10))
    lines = encoded(events, repeat(100)).splitlines()
    assert [line.split(",")[:8] for line in lines[1:]] == [
        [str(number), "32", str(10 * number - 10), "10", "1", "", "3", ""] for number in (1, 2, 3, 4)
    ]
