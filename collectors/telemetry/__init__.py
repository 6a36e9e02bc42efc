"""Samples of the GPUs of one node, beside the training and in the same run folder.

`sampler` turns a source into `telemetry.node<N>.csv`; sources are `nvml` (through the package nvidia-ml-py)
and `smi` (one long-lived nvidia-smi). `watch` runs it as a process of its own, or as a thread where
nobody could start that process.
"""
