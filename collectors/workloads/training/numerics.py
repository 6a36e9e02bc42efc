"""Apply a precision in torch: flags, the type of the weights, autocast and the scaling of the loss.

The names of the precisions are those of collectors.workloads.settings. Only fp32 disables TF32. Under
autocast, the operations that stay in float32 take little time and may use it.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

_AUTOCAST = {"fp16-amp": torch.float16, "bf16-amp": torch.bfloat16}


class Numerics:
    """A precision on a device.

    layout   "nchw" or "nhwc": memory layout of tensors with four dimensions
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
        """Return a new context for calling a model."""
        return torch.autocast(self.device.type, self._autocast, enabled=self._autocast is not None)

    def model(self, model: nn.Module) -> nn.Module:
        """Return the model on the device, with weights in the precision."""
        moved = model.to(self.device, self.dtype)
        # The annotations of torch lack this form of `to`.
        formatted: nn.Module = moved.to(memory_format=self.memory_format)  # type: ignore[call-overload]
        return formatted

    def tensor(self, tensor: Tensor) -> Tensor:
        """Return a tensor on the device; floating-point numbers are converted to the precision."""
        dtype = self.dtype if tensor.is_floating_point() else tensor.dtype
        moved = tensor.to(self.device, dtype, non_blocking=True)
        return moved.contiguous(memory_format=self.memory_format) if moved.dim() == 4 else moved

    def batch(self, batch: Sequence[Tensor]) -> list[Tensor]:
        """Return the tensors of a batch on the device."""
        return [self.tensor(tensor) for tensor in batch]
