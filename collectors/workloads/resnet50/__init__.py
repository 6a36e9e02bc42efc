"""ResNet-50 v1.5: training, inference and smooth inference, the three benchmarks of BenchmarkJade.

`workload` is what `bench` sees (options, factors, operations), `network` the model, `images` the two data
sets and `passes` the three kinds of step.
"""
