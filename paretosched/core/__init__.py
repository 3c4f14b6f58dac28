"""What every folder needs: errors, files, tables."""
