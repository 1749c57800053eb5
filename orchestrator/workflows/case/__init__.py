"""The clinical critic: a case, what its chart says, and what is wrong with it."""
