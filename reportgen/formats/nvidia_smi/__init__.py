"""Output of nvidia-smi."""
