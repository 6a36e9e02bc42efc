"""Names of columns whose units are easily mistaken: what is not certain has no unit, and is asked."""

from reportgen.formats.tables.column_words import meaning_of
from reportgen.formats.tables.derive import spelled
from tests.each_of import each_of


@each_of(["Energy (MJ)", "Energy (MWh)", "Power (MW)", "step_time/min", "Memory bandwidth (Gb per s)"])
def test_a_unit_that_may_be_another_one_is_asked(name: str) -> None:
    assert meaning_of(name).doubt or not meaning_of(name).unit


@each_of([("Energy (mJ)", "mJ"), ("Time / min", "min"), ("Memory (Gb)", "GB")])
def test_a_unit_that_is_certain_is_read(case: tuple[str, str]) -> None:
    name, unit = case
    assert meaning_of(name).unit == unit


def test_a_letter_of_a_size_counts_as_the_unit_of_its_column_does() -> None:
    assert spelled("4.2G", "GiB") == (4.2, "GiB")
    assert spelled("4.2G", "MB") == (4.2, "GB")
    assert spelled("250m", "ms") is None
    assert spelled("58m", "s") == (58 * 60, "s")
