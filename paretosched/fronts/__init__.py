"""The non-dominated points of everything that was evaluated."""
