"""The engine: texts to vectors, probabilities and tags; it decides nothing."""
