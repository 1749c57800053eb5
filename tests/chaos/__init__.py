"""Fault tests: real processes are killed, stopped and starved, and nothing may be lost or paid twice."""
