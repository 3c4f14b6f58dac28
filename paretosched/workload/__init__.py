"""What arrives: the jobs of a log, or of a model, and the machine they ask for."""
