"""Checks: each looks for one kind of contradiction or gap, and raises points with the spans that show it."""
