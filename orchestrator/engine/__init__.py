"""Advance, staging, dispatch, sweeper, listener, tasks and service."""
