"""Batches are parsed ahead of the one that takes their results, but not far ahead."""

from concurrent.futures import Executor, Future
from typing import Any

import pytest

from reportgen import load


class AtOnce(Executor):
    """Runs each task when it is submitted, and counts them."""

    def __init__(self) -> None:
        self.submitted = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.submitted += 1
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_few_results_wait_to_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_AHEAD", 3)
    monkeypatch.setattr(load.os, "cpu_count", lambda: 2)
    executor = AtOnce()
    results = load._in_order(executor, lambda batch: -batch, range(100))  # type: ignore[arg-type]
    assert [next(results), next(results), executor.submitted] == [0, -1, 7]
    assert list(results) == [-number for number in range(2, 100)]
