"""The Flux models: their sizes, their peculiarities, and the order of their work."""

from __future__ import annotations

import contextlib
import types

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed; pip install torch")

from collectors.workloads.flux import cells, workload  # noqa: E402
from collectors.workloads.flux import steps as flux_steps  # noqa: E402

# Counted from the layer sizes in FluxArchitectures.jl: weights, and weights with initial states.
COUNTS = [
    ("DARNN", "Benchmarks.jl", 7075, 7115),
    ("DARNN", "FluxBench", 785, 805),
    ("DSANet", "Benchmarks.jl", 917, 917),
    ("DSANet", "FluxBench", 830, 830),
    ("LSTNet", "Benchmarks.jl", 2995, 3001),
    ("LSTNet", "FluxBench", 538, 544),
    ("TPA-LSTM", "Benchmarks.jl", 4173, 4213),
    ("TPA-LSTM", "FluxBench", 2063, 2083),
]
INPUTS = {"DARNN": (10, 300), "DSANet": (50, 1000), "LSTNet": (20, 500), "TPA-LSTM": (10, 300)}


class FakeRecorder:
    """Notes the phases of each step, and whether they were synchronised."""

    def __init__(self):
        self.phases_of_steps = []

    def phase(self, name, *, synchronize=None):
        @contextlib.contextmanager
        def timed():
            self.phases_of_steps[-1].append(name if synchronize is None else f"{name} synchronized")
            yield

        class Reusable:
            def __enter__(self):
                self.inner = timed()
                self.inner.__enter__()

            def __exit__(self, *error):
                self.inner.__exit__(*error)

        return Reusable()

    def steps(self, count):
        for number in range(count):
            self.phases_of_steps.append([])
            yield number


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def small(model, variant="sequential"):
    """The model in FluxBench's size, and an input of four samples."""
    features, _ = INPUTS[model]
    return workload.build(model, variant, "FluxBench"), torch.randn(4, 1, workload.POOL, features)


def count_calls(part):
    calls = []
    part.register_forward_hook(lambda *_: calls.append(1))
    return calls


def zeroed(cell):
    for parameter in cell.parameters():
        torch.nn.init.zeros_(parameter)
    return cell


# ------------------------------------------------------------------------------------------ sizes


@pytest.mark.parametrize(("model", "size", "weights", "with_states"), COUNTS)
def test_parameter_counts_match_the_original(model, size, weights, with_states):
    parameters = dict(workload.build(model, "sequential", size).named_parameters())
    assert sum(p.numel() for p in parameters.values()) == with_states
    assert sum(p.numel() for name, p in parameters.items() if "state0" not in name) == weights


@pytest.mark.parametrize(
    ("model", "size", "weights", "with_states"), [row for row in COUNTS if row[0] != "DSANet"]
)
def test_both_variants_have_the_same_weights(model, size, weights, with_states):
    shapes = [
        {tuple(p.shape) for p in workload.build(model, variant, size).parameters()}
        for variant in workload.VARIANTS
    ]
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize("model", INPUTS)
def test_inputs_have_the_published_size(model):
    published = workload.PUBLISHED[model, "FluxBench"]
    assert (published.features, published.batch) == INPUTS[model]
    assert (workload.PUBLISHED[model, "Benchmarks.jl"].features, workload.POOL) == (137, 10)


@pytest.mark.parametrize("variant", workload.VARIANTS)
@pytest.mark.parametrize("model", INPUTS)
def test_every_model_predicts_one_finite_number_per_sample(model, variant):
    network, x = small(model, variant)
    prediction = network(x)
    assert prediction.shape == (4, 1)
    assert prediction.isfinite().all()


# ------------------------------------------------------------------------------------------ cells


def torch_lstm(cell):
    """torch's own LSTM with the weights of `cell`; it has a second bias, which is zero."""
    hidden = cell.state0_h.shape[1]
    lstm = torch.nn.LSTM(cell.weight_input.shape[1], hidden)
    with torch.no_grad():
        lstm.weight_ih_l0.copy_(cell.weight_input)
        lstm.weight_hh_l0.copy_(cell.weight_hidden)
        lstm.bias_ih_l0.copy_(cell.bias)
        lstm.bias_hh_l0.zero_()
    return lstm


def test_sequential_is_torch_lstm_with_the_batch_as_time():
    cell = cells.LSTMCell(3, 5)
    rows = torch.randn(7, 3)
    expected, _ = torch_lstm(cell)(rows.unsqueeze(1))
    torch.testing.assert_close(cells.Sequential(cell)(rows), expected.squeeze(1))


def test_batched_is_torch_lstm_with_the_calls_as_time():
    cell = cells.LSTMCell(3, 5)
    time = torch.randn(6, 7, 3)
    recurrence = cells.Batched(cell)
    got = torch.stack([recurrence(rows) for rows in time])
    torch.testing.assert_close(got, torch_lstm(cell)(time)[0])


def test_the_forget_bias_is_1():
    # gates input, forget, cell, output: only the forget gate begins with bias 1
    assert cells.LSTMCell(2, 3).bias.tolist() == [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0]


def test_relu_gru_matches_a_calculation_by_hand():
    cell = zeroed(cells.ReluGRUCell(1, 1))
    with torch.no_grad():
        cell.weight_input[2] = 1.0  # candidate = relu(x + r * 2h), r = z = 1/2
        cell.weight_hidden[2] = 2.0
    step = lambda x, h: cell(torch.tensor([[x]]), (torch.tensor([[h]]),))[0].item()  # noqa: E731
    assert step(3.0, 1.0) == pytest.approx(0.5 * 4.0 + 0.5 * 1.0)
    assert step(-5.0, 1.0) == pytest.approx(0.5 * 0.0 + 0.5 * 1.0)


def test_relu_gru_keeps_its_state_when_the_update_gate_is_open():
    cell = zeroed(cells.ReluGRUCell(1, 1))
    with torch.no_grad():
        cell.bias[1] = 100.0  # z = 1
    assert cell(torch.tensor([[9.0]]), (torch.tensor([[0.25]]),))[0].item() == 0.25


class Follower(torch.nn.Module):
    """A cell that notes from which row it starts; its state is the number of the row."""

    def __init__(self):
        super().__init__()
        self.pairs = []

    def initial_state(self):
        return (torch.tensor([[-1.0]]),)

    def forward(self, rows, state):
        self.pairs.append((int(rows.item()), int(state[0].item())))
        return (rows,)


@pytest.mark.parametrize(
    ("skip", "expected"),
    [
        (1, [(0, -1), (1, 0), (2, 1), (3, 2), (4, 3)]),
        (3, [(0, -1), (1, 0), (2, 0), (3, 0), (4, 1)]),
        (9, [(0, -1), (1, 0), (2, 0), (3, 0), (4, 0)]),
    ],
)
def test_each_row_starts_from_the_state_of_its_predecessor(skip, expected):
    follower = Follower()
    cells.Sequential(follower, skip)(torch.arange(5.0).unsqueeze(1))
    assert follower.pairs == expected


def test_the_last_state_is_carried_until_reset():
    follower = Follower()
    recurrence = cells.Sequential(follower)
    for _ in range(2):
        recurrence(torch.arange(2.0).unsqueeze(1))
    recurrence.reset()
    recurrence(torch.arange(2.0).unsqueeze(1))
    assert follower.pairs == [(0, -1), (1, 0), (0, 1), (1, 0), (0, -1), (1, 0)]


@pytest.mark.parametrize("variant", workload.VARIANTS)
@pytest.mark.parametrize("model", ["DARNN", "LSTNet", "TPA-LSTM"])
def test_a_call_is_repeatable_only_after_reset(model, variant):
    network, x = small(model, variant)
    first, second = network(x), network(x)
    cells.reset(network)
    torch.testing.assert_close(network(x), first)
    assert not torch.equal(first, second)


def test_detach_cuts_the_gradient_between_calls():
    network, x = small("TPA-LSTM")
    for _ in range(2):
        cells.detach(network)
        network(x).sum().backward()  # would raise: the first graph is gone


# ----------------------------------------------------------------- the work that makes the run time


@pytest.mark.parametrize(
    ("model", "part", "after_reset", "later"),
    [
        ("DARNN", "encoder.recurrence.cell", 4 * 11, 4 * 10),  # 4 samples x 10 steps, and once over zeros
        ("DARNN", "decoder.recurrence.cell", 4 * 11, 4 * 10),
        ("DARNN", "encoder_attention", 10, 10),
        ("LSTNet", "gru.cell", 4, 4),
        ("LSTNet", "skip_gru.cell", 4, 4),
        ("LSTNet", "convolution", 2, 2),
        ("TPA-LSTM", "lstm.0.cell", 4 * 10, 4 * 10),
        ("DSANet", "global_tower.encoders.0.query", 1, 1),
        ("DSANet", "global_tower.encoders.0.key", 2, 2),  # also used for the values
        ("DSANet", "global_tower.encoders.0.value", 0, 0),
    ],
)
def test_a_sequential_call_does_the_work_of_the_original(model, part, after_reset, later):
    network, x = small(model)
    calls = count_calls(network.get_submodule(part))
    network(x)
    first = len(calls)
    network(x)
    assert (first, len(calls) - first) == (after_reset, later)


@pytest.mark.parametrize(
    ("model", "part", "calls_per_forward"),
    [("DARNN", "encoder.recurrence.cell", 10), ("LSTNet", "gru.cell", 1), ("TPA-LSTM", "lstm.0.cell", 10)],
)
def test_a_batched_call_takes_all_samples_at_once(model, part, calls_per_forward):
    network, x = small(model, "batched")
    calls = count_calls(network.get_submodule(part))
    network(x)
    assert len(calls) == calls_per_forward


def test_batched_samples_are_independent():
    for model in ("LSTNet", "TPA-LSTM"):  # DARNN's encoder mixes them on purpose, see its docstring
        network, x = small(model, "batched")
        together = network(x)
        cells.reset(network)
        torch.testing.assert_close(network(x[2:3]), together[2:3])


def test_darnn_starts_with_a_run_over_zeros_without_gradient():
    network, x = small("DARNN")
    network.encoder.prepare(4, x)
    hidden, _ = network.encoder.state
    assert not hidden.requires_grad
    assert (hidden[0] == 0).all()  # bias of the input and cell gates is zero, so zeros stay zeros
    network(x).sum().backward()
    assert network.encoder.recurrence.cell.weight_input.grad.abs().sum() > 0


def test_dsanet_attention_contracts_over_features_and_samples():
    network, _ = small("DSANet")
    encoder = network.eval().global_tower.encoders[0]
    x = torch.randn(6, 4)  # 6 = samples x features; 4 = depth 2 x heads 2
    query, key, value = (part.view(6, 2, 2) for part in (encoder.query(x), encoder.key(x), encoder.key(x)))
    scores = torch.einsum("ndi,ndj->dij", query, key) / 2**0.5
    expected = torch.einsum("dij,ndj->ndi", scores.softmax(2), value).reshape(6, 4)
    torch.testing.assert_close(encoder._attend(x), expected)


def test_dsanet_norm_adds_the_floor_to_the_deviation():
    network, _ = small("DSANet")
    norm = network.global_tower.encoders[0].norm
    # mean 2, deviation 1 without Bessel's correction
    got = norm(torch.tensor([[1.0, 3.0, 1.0, 3.0]]))
    assert got.tolist()[0] == pytest.approx([s / (1 + 3.4526698e-4) for s in (-1, 1, -1, 1)], rel=1e-6)
    assert norm(torch.ones(1, 4)).tolist() == [[0, 0, 0, 0]]


def test_dsanet_uses_dropout_only_in_training():
    network, x = small("DSANet")
    assert not torch.equal(network(x), network(x))
    network.eval()
    assert torch.equal(network(x), network(x))


# ----------------------------------------------------------------------------------------- passes


def run(model, pass_name, steps=2, variant="sequential"):
    network, x = small(model, variant)
    before = {name: p.detach().clone() for name, p in network.named_parameters()}
    recorder = FakeRecorder()
    flux_steps.FullBatchSteps(network, x, torch.randn(4, 1), reset=pass_name == "train").of_pass(pass_name)(
        recorder, steps
    )
    changed = {name for name, p in network.named_parameters() if not torch.equal(p, before[name])}
    return recorder.phases_of_steps, changed, network


@pytest.mark.parametrize("model", INPUTS)
@pytest.mark.parametrize(
    ("pass_name", "phases"),
    [
        ("forward", ["forward"]),
        ("forward+backward", ["forward", "backward"]),
        ("train", ["forward", "backward", "optimizer"]),
    ],
)
def test_each_step_has_the_phases_of_its_pass(model, pass_name, phases):
    phases_of_steps, changed, network = run(model, pass_name, steps=3)
    assert phases_of_steps == [phases] * 3
    assert bool(changed) == (pass_name == "train")
    if pass_name != "train":
        assert all(p.grad is None for p in network.parameters())


def test_training_does_not_change_unused_weights():
    _, changed, network = run("DSANet", "train")
    untouched = {name for name, _ in network.named_parameters()} - changed
    assert untouched >= {f"{tower}.encoders.{i}.value.weight" for tower in ("local_tower",) for i in range(3)}
    assert not any("value" in name or "first_norm" in name for name in changed)


def test_forward_is_without_dropout():
    _, _, network = run("DSANet", "forward")
    assert not network.training


def test_training_reduces_the_loss():
    network, x = small("LSTNet")
    y = torch.randn(4, 1)
    loss = lambda: torch.nn.functional.mse_loss(network(x), y).item()  # noqa: E731
    before = loss()
    flux_steps.FullBatchSteps(network, x, y, reset=True).train(FakeRecorder(), 30)
    cells.reset(network)
    assert loss() < before


def test_phases_are_synchronised_on_a_gpu():
    network, x = small("LSTNet")
    on_gpu = flux_steps.FullBatchSteps(network, types.SimpleNamespace(is_cuda=True), None, reset=False)
    assert on_gpu.synchronize is torch.cuda.synchronize
    on_gpu.x = x  # the fake recorder calls nothing
    recorder = FakeRecorder()
    on_gpu.forward(recorder, 1)
    assert recorder.phases_of_steps == [["forward synchronized"]]


def test_the_second_bias_that_a_gpu_needs_adds_nothing():
    cell = cells.LSTMCell(3, 5)
    rows, state = torch.randn(4, 3), (torch.randn(4, 5), torch.randn(4, 5))
    on_gpu = torch.lstm_cell(rows, state, cell.weight_input, cell.weight_hidden, cell.bias, cell.no_bias)
    assert all(map(torch.equal, cell(rows, state), on_gpu))
    assert "no_bias" not in dict(cell.named_parameters())
    assert "no_bias" not in cell.state_dict()
