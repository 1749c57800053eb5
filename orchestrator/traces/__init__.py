"""Traces of runs for a collector of the operator, made from the journal."""
