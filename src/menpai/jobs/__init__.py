"""Resumable work over tables: read a chunk, work on it, write it, and report the rows that fail."""
