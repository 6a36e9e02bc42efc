"""Many small cases in one test: as cases of their own, each would cost 10 ms of pytest and xdist."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product

_Decorator = Callable[[Callable[..., None]], Callable[[], None]]


def each_of(*values: Iterable[object]) -> _Decorator:
    """Run a test with each value, or with each combination of several; all failures are raised together."""
    return each_row(product(*values))


def each_row(rows: Iterable[Sequence[object]]) -> _Decorator:
    """Run a test with the arguments in each row; all failures are raised together."""
    cases = [tuple(row) for row in rows]
    assert cases, "a test without cases cannot fail"

    def decorate(test: Callable[..., None]) -> Callable[[], None]:
        def test_all() -> None:
            errors = [error for case in cases for error in _errors(test, case)]
            if errors:
                raise ExceptionGroup(f"{len(errors)} of {len(cases)} cases fail", errors)

        test_all.__name__, test_all.__doc__, test_all.__module__ = (
            test.__name__,
            test.__doc__,
            test.__module__,
        )
        return test_all

    return decorate


def _errors(test: Callable[..., None], case: tuple[object, ...]) -> Iterable[Exception]:
    try:
        test(*case)
    except Exception as error:
        error.add_note(f"case: {', '.join(map(repr, case))[:200]}")
        yield error
