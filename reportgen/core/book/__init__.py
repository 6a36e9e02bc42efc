"""The book: facts of GPUs and models as their vendors and authors publish them, each with its source.

`gpus`    peaks, memory, bandwidths and power by the name of a device
`models`  operations of a forward pass by the name of a model

A name that fits several variants has no row, and `why_no_gpu` says so.
"""

from reportgen.core.book.gpus import Gpu, find_gpu, gpu_source, known_gpus, why_no_gpu
from reportgen.core.book.models import ImageModel, Transformer, find_model, known_models, model_source

__all__ = [
    "Gpu",
    "ImageModel",
    "Transformer",
    "find_gpu",
    "find_model",
    "gpu_source",
    "known_gpus",
    "known_models",
    "model_source",
    "why_no_gpu",
]
