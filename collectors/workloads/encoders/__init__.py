"""BERT pre-training and RoBERTa sequence classification, models from `transformers` by configuration alone.

`workload` is what `bench` sees (sizes, options, factors, operations), `models` builds them, `texts` draws
token sequences, and `passes` trains.
"""
