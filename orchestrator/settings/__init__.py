"""The configuration: its files, their order, who may set what, and the panel that follows from it."""
