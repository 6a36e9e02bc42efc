"""Results of the Hugging Face Trainer: one training leaves up to three files with the same totals."""

import pytest

from reportgen.formats.detection import offer
from reportgen.sources.logfiles import LogFiles
from tests.builders import aggregate_of, read_all, read_log
from tests.formats.tables.fixtures_of_families import FOLDER
from tests.formats.valid_logs import TRAINER_STATE

RESULTS = (FOLDER / "hf_results.json").read_bytes()


@pytest.mark.parametrize(("path", "beside", "better"), [
    ("all_results.json", {"train_results.json": RESULTS}, "train_results.json"),
    ("all_results.json", {"train_results.json": RESULTS, "trainer_state.json": TRAINER_STATE}, "trainer_state.json"),
    ("train_results.json", {"trainer_state.json": TRAINER_STATE, "all_results.json": RESULTS}, "trainer_state.json"),
])  # fmt: skip
def test_the_totals_of_one_training_are_read_once(path, beside, better):
    (found,) = read_all("hf_results", RESULTS, path, beside)
    assert (found.rule, better in found.message) == ("read.excerpt", True)


def test_the_results_of_training_are_read_where_only_their_sum_is_beside():
    run = read_log("hf_results", RESULTS, "train_results.json", {"all_results.json": RESULTS})
    assert aggregate_of(run, "run_time", statistic="total").value == 310.2


def test_a_rate_without_the_number_of_samples_is_read_as_it_is():
    run = read_log("hf_results", RESULTS.replace(b'    "train_samples": 8000,\n', b""))
    assert aggregate_of(run, "throughput", statistic="total").value == 77.369


@pytest.mark.parametrize("content", [
    b'{"eval_loss": 0.4, "eval_runtime": 2.1, "eval_samples_per_second": 95.2}',
    b'{"training_metrics": {"train_runtime": 310.2, "train_samples_per_second": 77.4}}',
    TRAINER_STATE,
])  # fmt: skip
def test_evaluations_and_documents_with_such_a_part_are_not_claimed(content):
    claimed = offer(LogFiles.of({"x.json": content}).file("x.json"))
    assert claimed is None or claimed.format.name != "hf_results"
