"""Analysers: tools that read a change and raise findings."""
