"""HTTP: runs to read and decisions to answer."""
