"""The use cases: typed functions that a command line, an HTTP service, a batch or a schedule calls."""
