"""Replay: a workflow run against its journal."""
