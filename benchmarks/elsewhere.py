"""Time `reportgen runs` over native runs on the workers of a Dask cluster, and from S3, beside the folder.

    python benchmarks/elsewhere.py [--runs 1000] [--workers 1 2 4]

Cluster and S3 server (moto) are on loopback of this machine: the times show what their use costs, not what
more machines bring. The first reading from S3 copies everything, the second lists the bucket and reads the
copy. The cache is empty each time, except for that copy. Exits with 1 if an output is not that of the folder.
"""

import argparse
import logging
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from native_runs import make_repository

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_DEFAULT_REGION": "us-east-1",
}


def read(root: Path, cache: Path, place: str, *options: str) -> tuple[float, bytes]:
    """Return the wall time in s of `reportgen runs`, and its output with paths of the folder."""
    command = [sys.executable, "-P", "-m", "reportgen", "runs", place, "--format", "json", *options]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    begin = time.perf_counter()
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    output = subprocess.run(command, cwd=root, env=environment, check=True, **streams).stdout
    return time.perf_counter() - begin, output.replace(b"s3://bench/many", b"logs/many")


def upload(root: Path) -> None:
    """Copy the logs to the bucket `bench`."""
    import boto3

    client = boto3.client("s3")
    client.create_bucket(Bucket="bench")
    for path in (root / "logs").rglob("*.*"):
        client.upload_file(str(path), "bench", path.relative_to(root / "logs").as_posix())


def measure(root: Path, workers: list[int]) -> bool:
    """Print a line for each way, and return whether all give the same output."""
    from distributed import LocalCluster
    from moto.server import ThreadedMotoServer

    outputs = []

    def show(what: str, cache: Path, place: str, *options: str) -> None:
        seconds, output = read(root, cache, place, *options)
        outputs.append(output)
        print(f"{what:22} {seconds:6.1f} s", flush=True)

    show("folder", root / "cache0", "logs/many")
    for number in workers:
        with LocalCluster(
            n_workers=number, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster:
            options = "--scheduler", cluster.scheduler_address
            show(f"Dask, workers: {number}", root / f"cache{number}", "logs/many", *options)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # it prints each request
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    os.environ |= {**CREDENTIALS, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}
    upload(root)
    show("S3, copied", root / "cache", "s3://bench/many")
    show("S3, not changed", root / "cache", "s3://bench/many", "--no-cache")
    server.stop()
    return len(set(outputs)) == 1


def main() -> None:
    """Parse the arguments, make the runs, measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="elsewhere") as name:
        root = Path(name) / "repository"
        make_repository(root, arguments.runs)
        if not measure(root, arguments.workers):
            sys.exit("the outputs differ")


if __name__ == "__main__":
    main()
