"""What is reviewed: changes, captured as self-contained subjects."""
