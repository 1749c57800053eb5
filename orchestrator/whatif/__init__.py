"""What if: recorded runs under other rules, continued another way, and compared with one another."""
