"""Findings: merging, evidence, stances, coverage, verdicts."""
