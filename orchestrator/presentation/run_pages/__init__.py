"""What the pages about runs show, as values: computed from a run's rows, told in the reader's language."""
