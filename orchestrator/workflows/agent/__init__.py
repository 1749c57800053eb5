"""An agent works on a repository: a machine of modes, each step a task, each change under a person's approval."""
