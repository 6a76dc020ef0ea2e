"""From relations to verdicts, and from a query to the records of a library."""
