"""Labelled cases, and what a panel's findings are worth beside them: pure, from values to values."""
