"""How a model is trained, or called, step by step: the part that all workloads with a DataLoader share.

`numerics` is what a precision means to torch, `processes` the ranks, `loading` endless batches through a real
DataLoader, and `loop` the steps with their phases.
"""
