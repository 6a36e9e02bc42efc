"""Start a command once per repeat, each in a fresh process with its own run folder.

`launch` runs a campaign, `forward_signals` and `saved_output` connect the command with the terminal, and
`exit_status` derives the status of a run from the end of its command and of its ranks.
"""
