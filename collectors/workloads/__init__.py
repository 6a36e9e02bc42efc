"""Workloads that can be repeated on any host: `python -m collectors bench NAME`.

`registry` lists them, `bench` is the command, `sweep` runs a campaign from a file, and each family of
workloads is a subpackage. torch is imported when a step is about to run, so help and errors do not need it.
"""
