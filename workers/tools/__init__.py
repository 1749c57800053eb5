"""Deterministic pieces of work: analysers, the check of fixes, applying and undoing them."""
