"""What an agent does to a repository: each step of it on a copy, the commit alone in the person's own."""
