"""Fixes: checking, combining, applying and undoing patches."""
