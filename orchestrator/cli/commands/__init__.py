"""The commands, one file each; `orchestrator.cli.registry` names them."""
