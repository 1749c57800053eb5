"""A run's result in each output format."""
