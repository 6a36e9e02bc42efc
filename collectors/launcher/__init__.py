"""Start a training command once per repeat, each in a fresh process with its own run folder.

`launch` runs a campaign, `child_process` forwards output and signals, and `exit_status` derives the status of
a run from its exit code and from the ends of its ranks.
"""
