"""The two data sets of images: drawn numbers, or files in ImageNet's layout (FOLDER/<class>/<image>).

A sample is (image, label): float32 (3, size, size), normalised as ImageNet's are, and the class's number.
Files are treated as torchvision's inference transform does, also when training, which is what
BenchmarkJade measured: the shorter side to 256/224 of the size, then the middle.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor
from torch.utils.data import Dataset

from collectors.workloads.resnet50.workload import CLASSES, class_folders

Sample = tuple[Tensor, int]

_MEAN = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)
_DEVIATION = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)
_COUNT = 50_000  # as many as ImageNet's validation set


class DrawnImages(Dataset[Sample]):
    """Images of random pixels, the same at each draw; there is nothing to decode and nothing to read."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return _COUNT

    def __getitem__(self, index: int) -> Sample:
        generator = torch.Generator().manual_seed(index)
        shape = (3, self.size, self.size)
        pixels = torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)
        return normalised(pixels), index % CLASSES


class FolderImages(Dataset[Sample]):
    """The images below FOLDER/<class>/, classes numbered in the order of their names; decoded by Pillow."""

    def __init__(self, folder: Path, size: int) -> None:
        """List the files. Raises ValueError for a folder without classes or images."""
        classes = class_folders(folder)
        self.size = size
        self.files = [
            (path, number)
            for number, name in enumerate(classes)
            for path in sorted(name.iterdir())
            if path.is_file()
        ]
        if not self.files:
            raise ValueError(f"--data {folder}: no image in its folders; it must hold <class>/<image>")

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> Sample:
        from PIL import Image

        path, number = self.files[index]
        with Image.open(path) as opened:
            image = opened.convert("RGB")
        scale = self.size * 256 / 224 / min(image.size)
        width, height = (max(self.size, round(side * scale)) for side in image.size)
        left, top = (width - self.size) // 2, (height - self.size) // 2
        resized = image.resize((width, height), Image.Resampling.BILINEAR)
        cropped = resized.crop((left, top, left + self.size, top + self.size))
        pixels = torch.frombuffer(bytearray(cropped.tobytes()), dtype=torch.uint8)
        return normalised(pixels.view(self.size, self.size, 3).permute(2, 0, 1)), number


def normalised(pixels: Tensor) -> Tensor:
    """Return pixels (3, h, w) of 0 to 255 as float32 of mean 0 and deviation 1 over ImageNet."""
    return pixels.float().div_(255).sub_(_MEAN).div_(_DEVIATION)
