"""What executes a converted checkpoint: one file for each library, one protocol for all."""
