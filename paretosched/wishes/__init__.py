"""What the owner wants, and how to find it on a front."""
