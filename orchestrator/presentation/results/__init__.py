"""What a run came to, as a document: one file a workflow, rendered as text and as Markdown."""
