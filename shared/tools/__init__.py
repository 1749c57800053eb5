"""The tools as both sides know them: one card each, and the models of what they are given."""
