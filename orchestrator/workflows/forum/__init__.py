"""A forum: a discussion with an orchestrator who gives the floor."""
