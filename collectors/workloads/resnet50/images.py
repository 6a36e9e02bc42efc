"""The two data sets of images: random pixels, or files in the layout of ImageNet (FOLDER/<class>/<image>).

A sample is (image, label): float32 (3, size, size), normalised as for ImageNet, and the index of the class.
Files are transformed as in torchvision's inference transform, also in training, as BenchmarkJade does: the
shorter side is scaled to 256/224 of the size, then the centre is cropped.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor
from torch.utils.data import Dataset

from collectors.workloads.resnet50.architecture import CLASSES
from collectors.workloads.resnet50.image_folder import class_folders

Sample = tuple[Tensor, int]

_MEAN = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)
_DEVIATION = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)
_IMAGES = 50_000  # as in the validation set of ImageNet


class SyntheticImages(Dataset[Sample]):
    """Images of random pixels; an index always gives the same image. Nothing is read or decoded."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return _IMAGES

    def __getitem__(self, index: int) -> Sample:
        generator = torch.Generator().manual_seed(index)
        shape = (3, self.size, self.size)
        pixels = torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)
        return normalise(pixels), index % CLASSES


class FolderImages(Dataset[Sample]):
    """The images in FOLDER/<class>/, decoded by Pillow; classes are numbered in the order of their names."""

    def __init__(self, folder: Path, size: int) -> None:
        """List the files; raises ValueError for a folder without classes or images."""
        classes = class_folders(folder)
        self.size = size
        self.files = [
            (path, number)
            for number, class_folder in enumerate(classes)
            for path in sorted(class_folder.iterdir())
            if path.is_file()
        ]
        if not self.files:
            raise ValueError(f"--data {folder}: no images in its folders; use a folder with <class>/<image>")

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
        return normalise(pixels.view(self.size, self.size, 3).permute(2, 0, 1)), number


def normalise(pixels: Tensor) -> Tensor:
    """Return pixels (3, h, w) of 0 to 255 as float32 with mean 0 and deviation 1 over ImageNet."""
    return pixels.float().div_(255).sub_(_MEAN).div_(_DEVIATION)
