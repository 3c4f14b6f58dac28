"""Figures of values; without files and without web pages."""
