"""Describe the machine and this process: hardware, software, rank, command line."""
