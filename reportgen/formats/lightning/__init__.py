"""PyTorch Lightning: metrics.csv, profiler reports, throughput monitor."""
