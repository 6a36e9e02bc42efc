"""Recurrent cells of the Flux models, and two ways to carry a state through a batch.

A cell maps (rows, state) to the next state, a tuple of tensors (rows, hidden). `Sequential` feeds it the rows
of a batch one after the other, as if the batch were the time axis: row j starts from the state after row j-1.
This is what FluxArchitectures' `Seq` does, and it explains its run times. `Batched` feeds all rows at once,
each with its own state. That is the usual way, and a different workload. Both keep the state between calls
until `reset`.

torch.nn.LSTMCell is not used because it has two bias vectors and Flux has one.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

State = tuple[Tensor, ...]


class Stateful(nn.Module):
    """A module that carries a state from one call to the next."""

    def reset(self) -> None:
        """Drop the carried state; the next call starts from the initial state."""
        raise NotImplementedError

    def detach(self) -> None:
        """Keep the values of the carried state, and cut its gradient."""
        raise NotImplementedError


class LSTMCell(nn.Module):
    """An LSTM step; state (h, c), gates in the order input, forget, cell, output; the forget bias is 1."""

    no_bias: Tensor

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.weight_input = glorot(4 * hidden, inputs)
        self.weight_hidden = glorot(4 * hidden, hidden)
        bias = torch.zeros(4, hidden)
        bias[1] = 1.0
        self.bias = nn.Parameter(bias.flatten())
        # The kernel of a GPU needs a second bias; on a CPU it would be work that the original does not do.
        self.register_buffer("no_bias", torch.zeros(4 * hidden), persistent=False)
        self.state0_h = nn.Parameter(torch.zeros(1, hidden))
        self.state0_c = nn.Parameter(torch.zeros(1, hidden))

    def initial_state(self) -> State:
        """Return the trainable initial state: one row."""
        return self.state0_h, self.state0_c

    def forward(self, rows: Tensor, state: State) -> State:
        """Return the state after `rows` (n, inputs), given the previous state (n, hidden)."""
        second = self.no_bias if rows.is_cuda else None
        after: State = torch.lstm_cell(rows, state, self.weight_input, self.weight_hidden, self.bias, second)
        return after


class ReluGRUCell(nn.Module):
    """A GRU step with ReLU instead of tanh in the candidate; state (h,), gates reset, update, candidate."""

    def __init__(self, inputs: int, hidden: int, *, zeros: bool = False) -> None:
        super().__init__()
        self.hidden = hidden
        self.weight_input = glorot(3 * hidden, inputs)
        self.weight_hidden = glorot(3 * hidden, hidden)
        if zeros:
            nn.init.zeros_(self.weight_input)
            nn.init.zeros_(self.weight_hidden)
        self.bias = nn.Parameter(torch.zeros(3 * hidden))
        self.state0_h = nn.Parameter(torch.zeros(1, hidden))

    def initial_state(self) -> State:
        """Return the trainable initial state: one row."""
        return (self.state0_h,)

    def forward(self, rows: Tensor, state: State) -> State:
        """Return the state after `rows` (n, inputs), given the previous state (n, hidden)."""
        (before,) = state
        from_input = torch.addmm(self.bias, rows, self.weight_input.t())
        from_hidden = before @ self.weight_hidden.t()
        both, hidden = 2 * self.hidden, self.hidden
        gates = torch.sigmoid(from_input[:, :both] + from_hidden[:, :both])
        reset, update = gates[:, :hidden], gates[:, hidden:]
        candidate = torch.relu(from_input[:, both:] + reset * from_hidden[:, both:])
        # (1 - z) * candidate + z * before, in one kernel
        return (torch.lerp(candidate, before, update),)


class Recurrence(Stateful):
    """A cell and the state that it carries."""

    def __init__(self, cell: LSTMCell | ReluGRUCell) -> None:
        super().__init__()
        self.cell = cell
        self.carry: State | None = None

    def reset(self) -> None:
        """Drop the carried state; the next call starts from the initial state."""
        self.carry = None

    def detach(self) -> None:
        """Keep the values of the carried state, and cut its gradient."""
        if self.carry is not None:
            self.carry = tuple(part.detach() for part in self.carry)


class Sequential(Recurrence):
    """Runs a cell over the rows of a batch in order; carries the state of the last row to the next call."""

    def __init__(self, cell: LSTMCell | ReluGRUCell, skip: int = 1) -> None:
        super().__init__(cell)
        self.skip = skip

    def scan(self, rows: Tensor) -> list[State]:
        """Return the state after each of `rows` (n, inputs), as n states of one row each.

        Row j starts from the state of row max(0, j - skip), row 0 from the carried state. So with a skip
        above 1 all of the first rows start from row 0, as in FluxArchitectures' `SeqSkip`.
        """
        before = self.cell.initial_state() if self.carry is None else self.carry
        states: list[State] = []
        for j, row in enumerate(rows.unsqueeze(1).unbind()):
            if j:
                before = states[max(0, j - self.skip)]
            states.append(self.cell(row, before))
        self.carry = states[-1]
        return states

    def forward(self, rows: Tensor) -> Tensor:
        """Return the hidden states (n, hidden) after each of `rows` (n, inputs)."""
        return torch.cat([state[0] for state in self.scan(rows)])


class Batched(Recurrence):
    """Runs a cell over all rows of a batch at once, each row with its own state."""

    def state(self, rows: int) -> State:
        """Return the state (rows, hidden) from which the next call starts."""
        if self.carry is not None:
            return self.carry
        return tuple(part.expand(rows, -1) for part in self.cell.initial_state())

    def forward(self, rows: Tensor) -> Tensor:
        """Return the hidden states (n, hidden) after `rows` (n, inputs)."""
        self.carry = self.cell(rows, self.state(len(rows)))
        return self.carry[0]


def recurrence(cell: LSTMCell | ReluGRUCell, variant: str, *, skip: int = 1) -> Sequential | Batched:
    """Return `cell` in a variant, `sequential` or `batched`.

    A batched recurrence skips no rows, because the rows of a batch are independent samples.
    """
    return Sequential(cell, skip) if variant == "sequential" else Batched(cell)


def glorot(rows: int, columns: int) -> nn.Parameter:
    """Return a weight matrix drawn from Glorot's uniform distribution, Flux's default."""
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(rows, columns)))


def initialise_as_flux(model: nn.Module) -> None:
    """Initialise all linear and convolution layers as Flux does: Glorot-uniform weights, zero bias."""
    for layer in model.modules():
        if isinstance(layer, (nn.Linear, nn.Conv1d, nn.Conv2d)):
            nn.init.xavier_uniform_(layer.weight)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


def reset(model: nn.Module) -> None:
    """Reset all recurrent modules of `model` to their initial states (Flux's `reset!`)."""
    for part in model.modules():
        if isinstance(part, Stateful):
            part.reset()


def detach(model: nn.Module) -> None:
    """Cut the gradient between the calls of `model` so far and the next one."""
    for part in model.modules():
        if isinstance(part, Stateful):
            part.detach()
