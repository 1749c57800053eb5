"""Pure renderings of a run: lines of text, JSON, Markdown, an exit code."""
