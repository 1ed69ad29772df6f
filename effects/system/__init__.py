"""The machine: errors for people, atomic files, templates, worker processes. May import transforms."""
