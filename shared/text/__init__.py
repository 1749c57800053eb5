"""Texts: rendering, tokens, canaries, masking, bounded parsing."""
