"""The batch APIs of providers, one file a protocol (docs/design/provider-batches.md)."""
