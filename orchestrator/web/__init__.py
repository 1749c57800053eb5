"""HTTP: one FastAPI application, the API and the pages. Imported by `quorate serve` only."""
