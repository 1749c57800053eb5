"""Who takes part in a run, and in which part."""
