"""Values to figures; no files, no web."""
