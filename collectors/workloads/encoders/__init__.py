"""BERT pre-training and RoBERTa sequence classification, with models of `transformers` from configurations.

`workload` has the options, factors and work of the cases, `shapes` the sizes of the models, `models` builds
them, `synthetic_data` draws token sequences, and `steps` trains.
"""
