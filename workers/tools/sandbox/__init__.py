"""The sandbox: programs that must not be trusted with much."""
