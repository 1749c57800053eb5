"""How a workflow shows its runs: what its view is given, and the parts that views share. Blocks of data, no text."""
