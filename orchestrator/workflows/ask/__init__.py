"""Ask a panel a question."""
