"""Checkpoints: folders with weights, read, converted, checked and run."""
