"""Train or call a model step by step: the part that all workloads with a DataLoader share.

`loop` runs the steps with their phases, `loading` provides endless batches through a DataLoader, `numerics`
applies a precision, and `processes` joins the ranks.
"""
