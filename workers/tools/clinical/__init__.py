"""Clinical cases: charts read by code, and the lenses of the critic that look at them."""
