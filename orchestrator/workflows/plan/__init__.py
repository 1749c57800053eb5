"""The debate of a plan."""
