"""Check a folder of images in the layout of ImageNet: DIR/<class>/<image>."""

import importlib.util
import re
from pathlib import Path

from collectors.workloads.resnet50.architecture import CLASSES

_IMAGENET_CLASS = re.compile(r"n[0-9]{8}\Z")  # a WordNet id


def class_folders(folder: Path) -> list[Path]:
    """Return the folders of the classes, sorted by name; raises ValueError if there is none."""
    classes = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    if not classes:
        fact = "contains no folders" if folder.is_dir() else "no such folder"
        raise ValueError(f"--data {folder}: {fact}; use a folder with <class>/<image>")
    if len(classes) > CLASSES:
        raise ValueError(f"--data {folder}: {len(classes)} classes; use at most {CLASSES}, as ResNet-50 has")
    return classes


def dataset_name(folder: Path) -> str:
    """Return ImageNet if the classes have its names, otherwise the name of the folder.

    Raises ValueError if there are no classes, or if Pillow is not installed to read images.
    """
    classes = class_folders(folder)
    if importlib.util.find_spec("PIL") is None:
        raise ValueError(f"--data {folder}: Pillow is not installed; pip install pillow, or omit --data")
    if all(_IMAGENET_CLASS.match(path.name) for path in classes):
        return "ImageNet"
    return folder.resolve().name
