"""The four time-series models of FluxArchitectures.jl, in PyTorch.

`workload` is what `bench` sees (sizes, options, factors), `passes` are the three kinds of step,
`cells` the recurrent cells in their two variants, and each model has a module of its own. All
follow the code of https://github.com/sdobber/FluxArchitectures.jl, with its oddities, because
they are part of the work that was timed; docs/reference/workloads.md lists them.

Arrays: Julia's column-major (features, pool, 1, batch) is the row-major (batch, 1, pool, features)
here, the same bytes in the same order. Every shape below is written the PyTorch way.
"""
