"""What was computed once is kept: vectors of texts, verdicts on pairs, and work in flight."""
