"""Which items go through a model together: pure functions of lengths and limits."""
