"""What an address is: reading it, and relating two of them."""
