"""Coding CLIs as providers: installed programs, called without tools."""
