"""HTTP providers: transport, deadlines, statuses, event streams."""
