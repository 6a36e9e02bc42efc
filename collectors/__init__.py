"""Collectors: write raw evidence about a training run into `logs/`, in the format of `logs/FORMAT.md`.

Runs on Python 3.9 and newer from a copied folder, with the standard library alone; torch and NVML
are imported by the parts that measure with them, when they do. Knows nothing of `reportgen`.
"""
