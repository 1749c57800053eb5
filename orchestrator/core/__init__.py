"""Pure decisions: no clock, no randomness, no I/O."""
