"""ResNet-50 v1.5: training, inference and smooth inference, the three benchmarks of BenchmarkJade.

`workload` has the options, factors and work of the cases, `architecture` the dimensions of the network,
`network` the model, `images` the data sets, `image_folder` the folder layout of ImageNet, and `steps` the
benchmarks.
"""
