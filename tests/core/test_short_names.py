"""Pages show the names of devices without the words that distinguish no models."""

from reportgen.core.devices import ambiguous_names, short_name, shown_value
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from tests.builders import published_run, table_spec
from tests.each_of import each_row


@each_row(
    [
        ("NVIDIA H100 80GB HBM3", "H100 80GB HBM3"),
        ("NVIDIA H100 PCIe", "H100 PCIe"),
        ("NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB"),
        ("Tesla V100-SXM2-16GB", "V100-SXM2-16GB"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("GeForce RTX 2080 with Max-Q Design", "RTX 2080 Max-Q"),
        ("H100 NVL Tensor Core GPU (PCIe)", "H100 NVL (PCIe)"),
        ("Quadro RTX 8000", "Quadro RTX 8000"),
        ("AMD Instinct MI300X", "MI300X"),
        ("AMD EPYC 7742 64-Core Processor", "EPYC 7742"),
        ("Intel(R) Xeon(R) Platinum 8480C", "Xeon Platinum 8480C"),
        ("Intel(R) Core(TM) i7-6700HQ CPU @ 2.60GHz", "Core i7-6700HQ"),
        ("A40", "A40"),
        ("NVIDIA", "NVIDIA"),
        ("", ""),
    ]
)
def test_words_that_distinguish_no_models_are_left_out(name, short):
    assert short_name(name) == short
    assert short_name(short) == short


def test_only_names_of_devices_are_shortened():
    assert shown_value("framework", "NVIDIA NeMo") == "NVIDIA NeMo"
    assert shown_value("gpu", "NVIDIA A40") == "A40"


def test_names_that_would_look_the_same_stay_long():
    assert ambiguous_names("device", ["NVIDIA A40", "A40", "NVIDIA A100"]) == ["A40", "NVIDIA A40"]
    runs = [published_run(throughput=1.0, device=name) for name in ("NVIDIA A40", "A40", "NVIDIA A100")]
    (table,) = build_tables(table_spec(metrics=("throughput",), rows=("device",)), runs, NO_FACTS)
    assert [row.labels[0].text for row in table.rows] == ["A40", "NVIDIA A40", "A100"]


def test_a_label_of_the_definition_wins():
    runs = [published_run(throughput=1.0, device="NVIDIA A40")]
    spec = table_spec(metrics=("throughput",), rows=("device",), labels={"NVIDIA A40": "ours"})
    (table,) = build_tables(spec, runs, NO_FACTS)
    assert table.rows[0].labels[0].text == "ours"
