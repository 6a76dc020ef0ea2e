"""How a text is written: one form for each character, numeral and unit."""
