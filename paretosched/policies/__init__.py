"""What a scheduler is, how it is written down, and what it does in words."""
