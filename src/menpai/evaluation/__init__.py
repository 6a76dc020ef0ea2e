"""How good the answers are: labelled pairs, hand-made cases, and the measures."""
