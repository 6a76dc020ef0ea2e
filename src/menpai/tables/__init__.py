"""Files to rows and back: CSV, TSV, JSON Lines, Parquet and XLSX, in chunks and bounded memory."""
