"""Hugging Face: Trainer and optimum-benchmark."""
