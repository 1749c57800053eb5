"""Webhooks: what happened is reported to other systems, signed, until they have taken it."""
