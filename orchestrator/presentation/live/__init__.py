"""What is shown while a run works."""
