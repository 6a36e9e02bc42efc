"""Workloads that can be repeated anywhere: `python -m collectors bench NAME`.

`registry` names them, `bench` is the command line, and every family of workloads is a subpackage.
Nothing here imports torch before a step is about to run, so that help and errors need no torch.
"""
