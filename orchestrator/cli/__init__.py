"""The command line: one file a command in `commands`, loaded when it is called."""
