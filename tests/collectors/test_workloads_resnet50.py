"""ResNet-50 and the matrix product: sizes, operations, data sets, recorded runs."""

from __future__ import annotations

import json
import os
import subprocess
from itertools import islice

import pytest

from tests.collectors.conftest import ROOT

torch = pytest.importorskip("torch", reason="torch is not installed; pip install torch")

from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

from collectors.workloads import bench  # noqa: E402
from collectors.workloads.resnet50 import architecture, image_folder, images, network, workload  # noqa: E402
from collectors.workloads.resnet50.network import Classifier, ResNet50  # noqa: E402
from collectors.workloads.training import loading, loop, processes  # noqa: E402
from collectors.workloads.training.numerics import Numerics  # noqa: E402

pytestmark = pytest.mark.slow

TINY = ["--image-size", "32", "--batch-size", "2", "--num-workers", "0"]
ONE = ["--here", "--steps", "2", "--threads", "1"]


@pytest.fixture
def few_layers(monkeypatch):
    """A network of two blocks, for what is around it: the whole one is trained in some tests, and takes seconds."""
    monkeypatch.setattr(network, "STAGES", ((16, 1, 1), (16, 1, 2)))


def recorded(tmp_path, *argv, code=0):
    """Run one case in this process; return run.json and the names of the columns."""
    assert bench.main([*argv, *ONE, "--logs", str(tmp_path)]) == code
    (path,) = tmp_path.glob("*/r1/run.json")
    lines = (path.parent / "steps.rank0.csv").read_text().splitlines()
    rows = [line.split(",")[0] for line in lines if line[0].isdigit()]
    return json.loads(path.read_text()), [line for line in lines if line.startswith("step,")], rows


def test_the_model_has_as_many_weights_as_v1_5():
    with torch.device("meta"):
        model = ResNet50()
    assert sum(weight.numel() for weight in model.parameters()) == 25_557_032  # torchvision's resnet50


def test_the_stride_is_in_the_3x3_convolution():
    with torch.device("meta"):
        strided = [block for block in ResNet50().blocks if block.conv2.stride == (2, 2)]
    assert len(strided) == 3
    assert all(block.conv1.stride == (1, 1) for block in strided)


def test_a_forward_pass_has_the_published_multiply_adds():
    assert architecture.multiply_adds(224)[0] == 4_089_184_256  # torchvision documents 4.09 GMAC


@pytest.mark.parametrize("size", [32, 47])
@pytest.mark.parametrize("benchmark", ["Train", "Inference"])
def test_operations_match_the_counter_of_torch(benchmark, size):
    with torch.device("meta"), FlopCounterMode(display=False) as counter:
        model = Classifier(ResNet50())
        pixels = torch.zeros(2, 3, size, size)
        if benchmark == "Train":
            model(pixels, torch.zeros(2, dtype=torch.long)).backward()
        else:
            with torch.no_grad():
                model.network(pixels)
    case = {"image_size": size, "batch_size": 2, "benchmark": benchmark}
    assert workload.work(case).flops == counter.get_total_flops()


@pytest.mark.parametrize(
    ("argv", "phases"),
    [
        ([], ["forward", "backward", "optimizer", "data_loading"]),
        (["--precision", "fp16-amp"], ["forward", "backward", "optimizer", "data_loading"]),
        (
            ["--benchmark", "inference", "--precision", "bf16", "--layout", "nhwc"],
            ["forward", "data_loading"],
        ),
        (["--benchmark", "smooth-inference"], ["data_loading", "preprocessing", "forward"]),
    ],
)
def test_steps_are_recorded_with_their_phases(argv, phases, tmp_path, few_layers):
    workers = TINY[:-2] if "smooth-inference" in argv else TINY
    run, (header,), rows = recorded(tmp_path, "resnet50", *argv, *workers)
    assert (run["status"], run["item"], run["samples_per_step"]) == ("complete", "image", 2)
    assert run["flops_per_step"] == workload.work(run["case"]).flops
    times = [f"{phase}_host_ns" for phase in phases]
    assert header.split(",")[4:] == times + [f"{phase}_count" for phase in phases]
    assert rows == ["1", "2"]


@pytest.mark.parametrize("benchmark", ["train", "inference", "smooth-inference"])
def test_no_image_is_drawn_in_a_step_if_the_data_are_on_the_device(
    benchmark, tmp_path, monkeypatch, few_layers
):
    def start(*arguments, **options):
        monkeypatch.setattr(images.SyntheticImages, "__getitem__", None)
        return real_start(*arguments, **options)

    real_start = bench.Recorder.start
    monkeypatch.setattr(bench.Recorder, "start", start)
    argv = [*TINY[:-2], "--data", "device", "--benchmark", benchmark, "--precision", "bf16"]
    run, _, rows = recorded(tmp_path, "resnet50", *argv)
    assert (run["status"], run["case"]["data"], rows) == ("complete", "device", ["1", "2"])
    assert "num_workers" not in run["case"]


def test_batches_on_the_device_are_a_few_different_ones_in_the_precision_of_the_model():
    rank = processes.WorkloadRank(torch.device("cpu"), 1, 2)
    numerics = Numerics("bf16", rank.device, "nhwc")
    case = {"batch_size": 3, "data": "device"}
    batches = list(islice(loading.batches(images.SyntheticImages(8), case, rank, numerics), 6))
    assert all(pixels.shape == (3, 3, 8, 8) and pixels.dtype == torch.bfloat16 for pixels, _ in batches)
    assert all(pixels.is_contiguous(memory_format=torch.channels_last) for pixels, _ in batches)
    assert len({str(labels.tolist()) for _, labels in batches[:4]}) == 4
    assert batches[4][0] is batches[0][0]  # no copy
    assert numerics.tensor(batches[0][0]) is batches[0][0]


def test_batches_on_the_device_have_no_phase_transfer():
    class OnGpu:
        device = torch.device("cuda")

    class StandinRecorder:
        def phase(self, name):
            return name

    rank = processes.WorkloadRank(torch.device("cpu"), 0, 1)
    numerics = Numerics("fp32", rank.device)
    resident = loading.ResidentBatches(images.SyntheticImages(8), 1, rank, numerics)
    assert loop.transfer_phase(StandinRecorder(), OnGpu(), []) == "transfer"
    assert loop.transfer_phase(StandinRecorder(), OnGpu(), resident) != "transfer"


def test_images_are_loaded_by_workers(tmp_path, few_layers):
    run, _, rows = recorded(tmp_path, "resnet50", *TINY[:-1], "1", "--benchmark", "inference")
    assert (run["status"], run["case"]["num_workers"], rows) == ("complete", 1, ["1", "2"])


def test_compile_calls_torch_compile(tmp_path, monkeypatch, few_layers):
    seen = []
    monkeypatch.setattr(torch, "compile", lambda model: seen.append(model) or model)
    run, _, _ = recorded(tmp_path, "resnet50", *TINY, "--compile")
    assert run["case"]["compile"] is True
    assert [type(model) for model in seen] == [Classifier]


def test_two_ranks_average_their_gradients_and_each_writes_its_steps(tmp_path, monkeypatch, warm_torch):
    # As torchrun does: it has the port before any rank looks for it, and all ranks are its clients.
    store = torch.distributed.TCPStore("127.0.0.1", 0, 2, is_master=True, wait_for_workers=False)
    job = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(store.port), "TORCHELASTIC_USE_AGENT_STORE": "True"}
    job.update({"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"})
    job.update({"REPORTGEN_RUN": str(tmp_path / "model=x" / "r1"), "GROUP_RANK": "0"})
    line = [warm_torch, "-m", "collectors", "bench", "resnet50", *TINY, *ONE, "--ddp", "2"]
    other = subprocess.Popen(line, cwd=ROOT, env={**os.environ, **job, "RANK": "1", "LOCAL_RANK": "1"})
    for name, value in {**job, "RANK": "0", "LOCAL_RANK": "0"}.items():
        monkeypatch.setenv(name, value)
    wrapped = []
    real = processes.DistributedDataParallel
    spy = lambda model, **options: wrapped.append(model) or real(model, **options)  # noqa: E731
    monkeypatch.setattr(processes, "DistributedDataParallel", spy)
    run, _, rows = recorded(tmp_path, "resnet50", *TINY, "--ddp", "2")
    assert other.wait(timeout=60) == 0
    assert len(wrapped) == 1
    assert (run["status"], run["ranks"], run["case"]["devices"], rows) == ("complete", 2, 2, ["1", "2"])
    assert run["samples_per_step"] == 2  # of one rank
    assert (tmp_path / "model=x" / "r1" / "steps.rank1.csv").exists()


def test_ddp_without_torchrun_is_an_error(tmp_path, capsys):
    assert bench.main(["resnet50", *TINY, *ONE, "--ddp", "2", "--logs", str(tmp_path)]) == 2
    assert "--ddp 2, but torchrun started 1 processes" in capsys.readouterr().err


# Memory


def test_running_out_of_memory_before_the_first_step_is_recorded(tmp_path, capsys):
    size = str(10**7)  # 364 TiB
    run, headers, rows = recorded(tmp_path, "matmul", "--matrix-size", size, code=1)
    assert (run["status"], headers, rows) == ("out_of_memory", [], [])
    assert "allocate memory" in run["error"]
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("CUDA out of memory"), RuntimeError("not enough memory"), MemoryError()]
)
def test_running_out_of_memory_in_a_step_is_recorded(error, tmp_path, monkeypatch):
    def multiply(a, b, out):
        raise error

    monkeypatch.setattr(torch, "matmul", multiply)
    run, _, _ = recorded(tmp_path, "matmul", "--matrix-size", "8", code=1)
    assert run["status"] == "out_of_memory"


def test_other_errors_do_not_count_as_out_of_memory(tmp_path, monkeypatch):
    def multiply(a, b, out):
        raise RuntimeError("device-side assert")

    monkeypatch.setattr(torch, "matmul", multiply)
    with pytest.raises(RuntimeError, match="device-side assert"):
        recorded(tmp_path, "matmul", "--matrix-size", "8")
    (path,) = tmp_path.glob("*/r1/run.json")
    assert json.loads(path.read_text())["status"] == "failed"


# The matrix product


@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16-amp", "bf16-amp"])
def test_products_are_counted(precision, tmp_path):
    run, _, rows = recorded(tmp_path, "matmul", "--matrix-size", "16", "--precision", precision)
    assert (run["status"], run["item"], rows) == ("complete", "product", ["1", "2"])
    assert (run["samples_per_step"], run["flops_per_step"]) == (10, 10 * 2 * 16**3)


def test_only_fp32_disables_tf32(tmp_path):
    recorded(tmp_path / "a", "matmul", "--matrix-size", "8", "--precision", "bf16")
    assert torch.backends.cuda.matmul.allow_tf32
    recorded(tmp_path / "b", "matmul", "--matrix-size", "8")
    assert not torch.backends.cuda.matmul.allow_tf32
    assert not torch.backends.cudnn.allow_tf32


# Images


def folder_of_images(tmp_path, names=("n01440764", "n01443537")):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed; pip install pillow")
    for number, name in enumerate(names):
        (tmp_path / name).mkdir(parents=True)
        image.new("RGB", (80, 60), (255 * number, 0, 0)).save(tmp_path / name / "1.png")
    return tmp_path


def test_synthetic_images_are_reproducible_and_normalised():
    dataset = images.SyntheticImages(64)
    image, label = dataset[7]
    assert (len(dataset), tuple(image.shape), label) == (50_000, (3, 64, 64), 7)
    assert torch.equal(image, dataset[7][0])
    assert not torch.equal(image, dataset[8][0])
    assert image.min() == pytest.approx(-0.485 / 0.229, abs=0.2)
    assert image.max() == pytest.approx((1 - 0.406) / 0.225, abs=0.2)


def test_files_are_scaled_and_cropped_to_the_centre(tmp_path):
    dataset = images.FolderImages(folder_of_images(tmp_path), 32)
    image, label = dataset[1]
    assert (len(dataset), tuple(image.shape), label) == (2, (3, 32, 32), 1)
    red, green, blue = image[:, 16, 16].tolist()
    assert red == pytest.approx((1 - 0.485) / 0.229)
    assert (green, blue) == (pytest.approx(-0.456 / 0.224), pytest.approx(-0.406 / 0.225))


def test_a_data_set_with_the_classes_of_imagenet_is_named_imagenet(tmp_path):
    assert image_folder.dataset_name(folder_of_images(tmp_path / "val")) == "ImageNet"
    assert image_folder.dataset_name(folder_of_images(tmp_path / "flowers", ("rose", "tulip"))) == "flowers"


def test_training_on_files_works(tmp_path, few_layers):
    data = folder_of_images(tmp_path / "images")
    run, _, rows = recorded(tmp_path / "logs", "resnet50", *TINY, "--data", str(data))
    assert (run["case"]["dataset"], rows) == ("ImageNet", ["1", "2"])


def test_missing_pillow_is_an_error_with_a_remedy(tmp_path, monkeypatch):
    (tmp_path / "n01440764").mkdir()
    monkeypatch.setattr(image_folder.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="Pillow is not installed; pip install pillow, or omit --data"):
        image_folder.dataset_name(tmp_path)


def test_a_folder_without_images_is_an_error(tmp_path):
    (tmp_path / "n01440764").mkdir()
    with pytest.raises(ValueError, match="no images in its folders"):
        images.FolderImages(tmp_path, 32)
