"""Evolutionary algorithms of pymoo and of the papers, asked for genomes and told their values."""
