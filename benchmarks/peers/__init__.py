"""What Quorate is measured beside: a process each, with nothing of the product in it."""
