"""Files of experiment trackers, encoded by hand as the real writers do: TensorBoard's events, W&B's records."""

import json
import sqlite3
import struct
import zlib
from collections.abc import Mapping, Sequence

WANDB_BLOCK = 32768


def crc32c(content: bytes) -> int:
    """Return CRC-32C bit by bit, as its definition says."""
    value = 0xFFFFFFFF
    for byte in content:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def masked(content: bytes) -> bytes:
    value = crc32c(content)
    return struct.pack("<I", (((value >> 15) | (value << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def part(number: int, content: bytes) -> bytes:
    """Return a field of bytes."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def event_record(event: bytes) -> bytes:
    length = struct.pack("<Q", len(event))
    return length + masked(length) + event + masked(event)


def event(
    time: float, step: int, scalars: Mapping[str, float], tensors: Mapping[str, bytes] | None = None
) -> bytes:
    """Return an event with scalars; tensors are encoded already."""
    values = [
        part(1, part(1, tag.encode()) + b"\x15" + struct.pack("<f", value)) for tag, value in scalars.items()
    ]
    values += [part(1, part(1, tag.encode()) + part(8, tensor)) for tag, tensor in (tensors or {}).items()]
    return b"\x09" + struct.pack("<d", time) + b"\x10" + varint(step) + part(5, b"".join(values))


def event_file(*events: bytes) -> bytes:
    first = b"\x09" + struct.pack("<d", 1772360000.0) + part(3, b"brain.Event:2")
    return b"".join(map(event_record, (first, *events)))


def wandb_items(values: Mapping[str, object], field: int = 1) -> bytes:
    return b"".join(
        part(field, part(1, name.encode()) + part(16, json.dumps(value).encode()))
        for name, value in values.items()
    )


def wandb_file(
    history: Sequence[Mapping[str, object]],
    config: Mapping[str, object] | None = None,
    exit_code: int | None = 0,
) -> bytes:
    """Return a file of W&B; `exit_code` None for a process that was killed."""
    messages = [part(17, part(4, wandb_items(config or {})))]
    messages += [part(2, wandb_items(values)) for values in history]
    if exit_code is not None:
        messages.append(part(18, b"\x08" + varint(exit_code) if exit_code else b""))
    return wandb_records(messages)


def wandb_records(messages: Sequence[bytes]) -> bytes:
    """Return messages in the framing of LevelDB, in parts where a block ends."""
    out = b":W&B\xe1\xbe\x00"
    for message in messages:
        is_first = True
        while is_first or message:
            left = WANDB_BLOCK - len(out) % WANDB_BLOCK
            if left < 7:
                out += bytes(left)
                continue
            data, message = message[: left - 7], message[left - 7 :]
            kind = {(True, True): 1, (True, False): 2, (False, False): 3, (False, True): 4}[
                is_first, not message
            ]
            out += struct.pack("<IHB", zlib.crc32(bytes([kind]) + data), len(data), kind) + data
            is_first = False
    return out


TENSORBOARD = event_file(
    event(1772360000.5, 10, {"train/tokens_per_second": 4096.0, "train/loss": 2.5}),
    event(1772360001.0, 20, {"train/tokens_per_second": 8192.0, "train/loss": 2.25}),
)
WANDB = wandb_file(
    [{"_step": 0, "_timestamp": 1772360000.5, "tokens_per_second": 4096},
     {"_step": 1, "_timestamp": 1772360001.0, "tokens_per_second": 8192.5}],
    {"batch_size": 32, "model": "tiny"},
)  # fmt: skip
MLFLOW = {
    "meta.yaml": b"artifact_uri: file:///home/ada/mlruns/1/2f/artifacts\nend_time: 1772360009000\nexperiment_id: '1'\n"
    b"lifecycle_stage: active\nrun_id: 2f\nrun_name: calm-owl-7\nstart_time: 1772360000000\nstatus: 3\nuser_id: ada\n",
    "metrics/train/images_per_second": b"1772360000500 128.0 1\n1772360001000 256.0 2\n",
    "metrics/loss": b"1772360000500 2.5 1\n1772360001000 2.25 2\n",
    "params/batch_size": b"32",
    "params/model": b"/home/ada/models/resnet50",
    "params/api_key": b"sk-0123456789",
    "tags/mlflow.user": b"ada",
}


def mlflow_db(*statements: str) -> bytes:
    """Return a store with the tables of MLflow as its migrations leave them, and these statements."""
    store = sqlite3.connect(":memory:")
    store.executescript(
        """
        CREATE TABLE runs (run_uuid VARCHAR(32) NOT NULL PRIMARY KEY, name VARCHAR(250), user_id VARCHAR(256),
          status VARCHAR(9), start_time BIGINT, end_time BIGINT, lifecycle_stage VARCHAR(20), experiment_id INTEGER);
        CREATE TABLE "metrics" (key VARCHAR(250) NOT NULL, value FLOAT NOT NULL, timestamp BIGINT NOT NULL,
          run_uuid VARCHAR(32) NOT NULL, step BIGINT DEFAULT '0' NOT NULL, is_nan BOOLEAN DEFAULT '0' NOT NULL,
          PRIMARY KEY (key, timestamp, step, run_uuid, value, is_nan));
        CREATE TABLE params (key VARCHAR(250) NOT NULL, value VARCHAR(8000) NOT NULL, run_uuid VARCHAR(32) NOT NULL,
          PRIMARY KEY (key, run_uuid));
        """
    )
    for statement in statements:
        store.execute(statement)
    return store.serialize()


MLFLOW_DB = mlflow_db(
    "INSERT INTO runs VALUES ('2f', 'calm-owl-7', 'ada', 'FINISHED', 1772360000000, 1772360009000, 'active', 1)",
    "INSERT INTO runs VALUES ('3a', 'x', 'ada', 'FAILED', 1772361000000, NULL, 'active', 1)",
    "INSERT INTO runs VALUES ('9c', 'old', 'ada', 'FINISHED', 1772350000000, NULL, 'deleted', 1)",
    "INSERT INTO metrics VALUES ('train/images_per_second', 128, 1772360000500, '2f', 1, 0),"
    " ('train/images_per_second', 256, 1772360001000, '2f', 2, 0), ('loss', 2.5, 1772360001000, '2f', 2, 0),"
    " ('train/images_per_second', 0, 1772361000500, '3a', 1, 1), ('train/images_per_second', 7, 0, '9c', 1, 0)",
    "INSERT INTO params VALUES ('batch_size', '32', '2f'), ('model', '/home/ada/models/resnet50', '2f'),"
    " ('api_key', 'sk-0123456789', '2f')",
)
WANDB_CSV = b"""\
"Step","calm-owl-7 - train/tokens_per_second","calm-owl-7 - train/tokens_per_second__MIN",\
"calm-owl-7 - train/tokens_per_second__MAX","big - run-8 - train/tokens_per_second",\
"big - run-8 - train/tokens_per_second__MIN","big - run-8 - train/tokens_per_second__MAX"
"10","4096","4096","4096","","",""
"20","8192.5","8192.5","8192.5","1024","1024","1024"
"30","8192","8192","8192","2048","2048","2048"
"""
WANDB_HISTORY = b"""\
{"_step": 0, "_runtime": 2.5, "_timestamp": 1714640000.5, "train/global_step": 10, "train/tokens_per_second": 4096}
{"_step": 1, "_runtime": 3.5, "_timestamp": 1714640001.5, "train/global_step": 20, "train/tokens_per_second": 8192.5}
{"_step": 2, "_runtime": 4.0, "_timestamp": 1714640002.0, "eval/loss": 2.5}
{"_step": 3, "_runtime": 5.5, "_timestamp": 1714640003.5, "train/global_step": 30, "train/tokens_per_second": 8192}
"""
PARQUET = b"PAR1" + bytes(40) + b"\x15\x02model\x00\x15tokens_per_second\x00" + b"\x30\x00\x00\x00PAR1"
