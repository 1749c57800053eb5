"""All SQL of Quorate. Postgres is the only truth; every state change is a compare-and-set."""
