"""Benchmarks that users run: speed of a checkpoint here, beside a baseline in the same run."""
