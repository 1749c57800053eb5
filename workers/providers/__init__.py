"""Providers: how a participant is reached. One file each, one line each in the registry."""
