"""Formats of tournaments: pure functions over the results log."""
