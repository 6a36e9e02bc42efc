"""The programs of NVIDIA's examples print the precision that they compute in, each in its own way."""

import csv
from pathlib import Path

import pytest

from reportgen.load import load_runs
from tests.builders import read_log
from tests.each_of import each_row
from tests.formats.valid_logs import VALID_LOGS

APEX = b"\nSelected optimization level O2:  FP16 training with FP32 batchnorm and FP32 master weights.\n"
SINGLE = b"\nSelected optimization level O0:  Pure FP32 training.\n"


@each_row(
    [
        ("bertsquad", b"device: cuda n_gpu: 1, distributed training: False, 16-bits training: True\n", "amp"),
        (
            "bertsquad",
            b"device: cuda n_gpu: 1, distributed training: False, 16-bits training: False\n",
            "fp32",
        ),
        ("transformerxl", b"Namespace(attn_type=0, fp16=True, tgt_len=384)\n", "amp"),
        ("transformerxl", b"Namespace(amp='apex', apex_amp_opt_level='O2', fp16=False)\n", "fp32"),
        ("gnmt", b"0: Run arguments: Namespace(math='fp16')\n", "amp"),
        ("gnmt", b"0: Run arguments: Namespace(math='fp32')\n", "fp32"),
        ("maskrcnn", b"Namespace(opts=['DTYPE', 'float16', 'SOLVER.X', '1'])\nDTYPE: float32\n", "amp"),
        ("maskrcnn", b'\nDTYPE: "float16"\n', "amp"),
        ("maskrcnn", b"\nDTYPE: float16\nSOLVER:\n\nDTYPE: float32\n", "fp32"),
        ("ssd", b"DLL 2024-05-02 04:35:00.000000 - PARAMETER AMP : True  precision : amp \n", "amp"),
        ("ssd", b"DLL 2024-05-02 04:35:00.000000 - PARAMETER AMP : False  precision : fp32 \n", "fp32"),
        ("dllogger", b"DLL 2021-06-03 08:00:00.000000 - PARAMETER fp16 : True  amp : False\n", "amp"),
        ("dllogger", b"DLL 2021-06-03 08:00:00.000000 - PARAMETER fp16 : False  amp : True\n", "amp"),
        ("dllogger", b"DLL 2021-06-03 08:00:00.000000 - PARAMETER fp16 : False  amp : False\n", "fp32"),
        ("tacotron", b"DLL 2021-06-26 23:13:00.000000 - PARAMETER amp : True\n", "amp"),
        ("tacotron", b"DLL 2021-06-26 23:13:00.000000 - PARAMETER amp : False\n", "fp32"),
        *((name, APEX, "amp") for name in ("ssd", "tacotron", "nvlog", "dllogger", "bertsquad", "gnmt")),
        ("ssd", SINGLE, "fp32"),
    ]
)
def test_precision_is_what_the_program_says(name: str, line: bytes, precision: str | None) -> None:
    (content,) = VALID_LOGS[name].values()
    # The fixture of dllogger holds JSON too, which would be all that counts.
    text = content.replace(b"DLLL ", b"XXXX ")
    assert read_log(name, text.replace(b"\n", b"\n" + line, 1)).factors.get("precision") == precision


def test_what_is_not_a_convnet_may_compute_in_half_precision_by_other_means() -> None:
    settings = b"DLL 2024-05-02 04:38:35.000000 - PARAMETER amp : False  batch_size : 10000000\n"
    result = b"DLL 2024-05-02 04:39:35.000000 -  best_train_throughput : 1.3e+08 samples/s\n"
    assert "precision" not in read_log("dllogger", settings + result).factors


@pytest.mark.parametrize(
    ("settings", "precision"),
    [(b'"amp_run": true', "amp"), (b'"amp_run": false', "fp32"), (b'"opt_level": "O0"', "fp32")],
)
def test_the_older_settings_say_it_too(settings: bytes, precision: str) -> None:
    (content,) = VALID_LOGS["nvlog"].values()
    log = content.replace(b'{"batch_size"', b"{" + settings + b', "batch_size"')
    assert read_log("nvlog", log).factors["precision"] == precision


@pytest.mark.parametrize(
    ("folder", "model"), [(b"bert_base", "BERT-base"), (b"bert_large", "BERT-large"), (b"x", "BERT")]
)
def test_the_size_of_bert_is_that_of_its_configuration(folder: bytes, model: str) -> None:
    (content,) = VALID_LOGS["bertsquad"].values()
    command = (
        b"run_squad.py --bert_model=bert-large-uncased --config_file=/data/%b/bert_config.json --do_train"
        % folder
    )
    assert (
        read_log("bertsquad", content.replace(b"run_squad.py --do_train", command)).factors["model"] == model
    )


def test_folders_of_lambda_say_the_same(corpus: Path) -> None:
    """Some folders are called FP16 whose program trained in 32 bits: most of Tacotron 2 and WaveGlow.

    There the launcher passed no option: the logs say `amp : False`, and the rates are those of FP32.
    """
    with (corpus / "expected" / "lambda_runs.csv").open(newline="") as file:
        named = {row["file"]: row["precision"] for row in csv.DictReader(file)}
    runs = load_runs([corpus / "lambda"], root=corpus / "lambda").runs
    stated = [(run.id, run.factors["precision"]) for run in runs if "precision" in run.factors]
    differing = [
        id for id, precision in stated if named[id] != {"amp": "fp16"}.get(str(precision), precision)
    ]
    print(f"precision: {len(stated)} of {len(runs)} logs state it, {len(differing)} differ from their folder")
    assert len(stated) > len(runs) / 2
    without_option = [id for id in differing if "_tacotron2_" in id or "_waveglow_" in id]
    assert len(without_option) == 33
    assert len(differing) <= 1 + len(without_option)
