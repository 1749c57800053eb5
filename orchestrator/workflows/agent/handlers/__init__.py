"""What the agent does in each mode; `table.py` has them all."""
