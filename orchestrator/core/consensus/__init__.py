"""Consensus: convergence, repetition, ballots."""
