"""The document of `runs --format json` as text: what json.dumps would write."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from reportgen.load import parse_logs
from reportgen.protocol import Protocol
from reportgen.report.jsontext import to_json
from reportgen.report.listing import as_json, json_of, listing, rows

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12
)


@given(VALUES)
def test_it_is_what_the_standard_library_writes(value: object) -> None:
    assert to_json(value) == json.dumps(value, indent=1, ensure_ascii=False)


def test_rows_written_where_they_are_read_make_the_same_document(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.log").write_text(
            "DLL 2021-06-03 08:00:00.000000 - PARAMETER arch : resnet50  batch_size : 64\n"
            + "".join(
                f"DLL 2021-06-03 08:{step:02d}:00.500000 - Epoch: 0 Iteration: {step}  train.total_ips : 1.5 img/s\n"
                for step in range(1, 40)
            )
        )
    (tmp_path / "odd.log").write_text("BenchmarkTools.Trial: 1 sample with 1 evaluation\n")
    as_rows, as_texts = (
        parse_logs(["."], rows(Protocol(), as_text=text), root=tmp_path).select(["."])
        for text in (False, True)
    )
    document = listing(as_rows.runs, as_rows.findings)
    assert len(document["runs"]) == 3
    assert "".join(json_of(as_texts.runs, as_texts.findings)) == as_json(document)
    assert "".join(json_of([], [])) == as_json(listing([], [])) == json.dumps(listing([], []), indent=1)
