"""The Model Context Protocol around the use cases: what coding assistants call."""
