"""What a repository offers at its outside: routes, pages, what it is built with. Read from text, nothing is run."""
