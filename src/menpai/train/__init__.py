"""Training encoders of addresses: what they read, what they learn from, and how far they got."""
