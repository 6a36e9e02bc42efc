"""Record the steps of one rank: whole steps, their phases, and breaks between them.

`recorder` is the interface for training scripts. It notes events; `step_encoder` turns them into lines and
`run_writer` writes them. `phases` and `cuda_events` read the clocks that `timing` selects, `exit_hooks`
detects the end of the process, and `calibration` measures the cost of the recorder.
"""
