"""What clinical notes call things, in English and Korean: one row a thing, for all who read a chart or tell of it."""
