"""Frozen types that both sides agree on: what is stored, sent and shown."""
