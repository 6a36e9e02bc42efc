"""Start a training command once per repeat: `python -m collectors run`."""
