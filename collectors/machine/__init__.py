"""Describe the machine and this process: hardware, software, rank, command line.

`doctor` is the command that reports what would disturb a measurement on this machine.
"""
