"""The code graph: extraction file by file, and resolution of whole programs (docs/design/code-graph.md)."""
