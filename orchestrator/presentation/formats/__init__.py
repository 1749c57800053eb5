"""How a run's result is written: a module for each row of `orchestrator/core/formats.py`."""
