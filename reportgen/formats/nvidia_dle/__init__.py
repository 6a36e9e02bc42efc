"""NVIDIA DeepLearningExamples: DLLogger and the logs of single models."""
