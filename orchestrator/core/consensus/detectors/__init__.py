"""Agreement from plain turns: what a turn does, which answer it states, and whether all hold the same."""
