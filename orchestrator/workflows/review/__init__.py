"""The review of a change."""
