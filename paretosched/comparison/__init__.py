"""Policies set against EASY, a front and a wish."""
