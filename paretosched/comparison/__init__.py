"""Policies compared with EASY, a front and a wish."""
