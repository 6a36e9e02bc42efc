"""Record the steps of training frameworks through their hooks: one module per framework.

`lightning` has a callback for Lightning's Trainer and one for Fabric, `huggingface` one for the Trainer of
transformers. A plain loop, with or without a DataLoader, needs none of them: use `recorder.steps(loader)`.
"""
