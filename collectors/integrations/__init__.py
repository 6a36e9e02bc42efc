"""Recording from inside of training frameworks, by the hooks they offer: one module for each framework.

`lightning` has a callback for Lightning's Trainer and one for Fabric, `huggingface` one for the Trainer of
transformers. A plain loop, with or without a DataLoader, needs none of them: `recorder.steps(loader)`.
"""
