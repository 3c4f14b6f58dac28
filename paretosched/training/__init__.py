"""Train the online scheduler for a wish."""
