"""Questions about the graph of a repository's code."""
