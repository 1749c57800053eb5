"""Discussions: rounds, contributions, portions, labels, prompts' parts."""
