"""The four time-series models of FluxArchitectures.jl, in PyTorch.

`workload` has the options and factors of the cases and the sizes of the models, `steps` the three kinds of
step, and `cells` the recurrent cells in two variants. Each model has its own module. All of them follow the
code of https://github.com/sdobber/FluxArchitectures.jl, including its peculiarities, because those are part
of the timed work; docs/reference/workloads.md lists them.

Arrays: Julia's column-major (features, pool, 1, batch) is the row-major (batch, 1, pool, features) here: the
same bytes in the same order. All shapes in this package are in PyTorch's order.
"""
