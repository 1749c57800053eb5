"""Words for people, in English and Korean."""
