"""What a precision means to torch: flags, the type of the weights, autocast and the scaling of the loss.

The names are those of collectors.workloads.settings. Only fp32 forbids TF32: under autocast, what is left
in float32 (little of the time) may use it.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

_AUTOCAST = {"fp16-amp": torch.float16, "bf16-amp": torch.bfloat16}


class Numerics:
    """One precision on one device.

    layout   "nchw" or "nhwc": how tensors of four dimensions lie in memory
    """

    def __init__(self, precision: str, device: torch.device, layout: str = "nchw") -> None:
        self.device = device
        self.dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        self.memory_format = torch.channels_last if layout == "nhwc" else torch.contiguous_format
        self.scaler = torch.amp.GradScaler(device.type, enabled=precision == "fp16-amp")
        self._autocast = _AUTOCAST.get(precision)
        torch.backends.cuda.matmul.allow_tf32 = precision != "fp32"
        torch.backends.cudnn.allow_tf32 = precision != "fp32"

    def autocast(self) -> torch.autocast:
        """Return a new context in which a model is called."""
        return torch.autocast(self.device.type, self._autocast, enabled=self._autocast is not None)

    def model(self, model: nn.Module) -> nn.Module:
        """Return the model on the device, with weights of the precision."""
        moved = model.to(self.device, self.dtype)
        # torch's own annotations do not know this form of `to`.
        laid: nn.Module = moved.to(memory_format=self.memory_format)  # type: ignore[call-overload]
        return laid

    def tensor(self, tensor: Tensor) -> Tensor:
        """Return a tensor on the device; floating-point numbers become those of the precision."""
        dtype = self.dtype if tensor.is_floating_point() else tensor.dtype
        moved = tensor.to(self.device, dtype, non_blocking=True)
        return moved.contiguous(memory_format=self.memory_format) if moved.dim() == 4 else moved

    def batch(self, batch: Sequence[Tensor]) -> list[Tensor]:
        """Return the tensors of a batch on the device."""
        return [self.tensor(tensor) for tensor in batch]
