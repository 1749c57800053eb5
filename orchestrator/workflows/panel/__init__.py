"""A debate of perspectives before a judge."""
