"""Quorate's own Redis-compatible server and Postgres, on unix sockets, and what keeps them alive."""
