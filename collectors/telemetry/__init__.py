"""Sample the GPUs of a node while a run trains, and write the samples into its run folder.

`sampler` reads a source and writes `telemetry.node<N>.csv`. The sources are `nvml_source` (the package
nvidia-ml-py) and `nvidia_smi` (one long-lived nvidia-smi). `watch` runs the sampler as a process or as a
thread.
"""
