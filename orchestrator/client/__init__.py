"""The client of the HTTP API, for programs and for `quorate --server`."""
