"""Settings and where they come from: flags, environment, project files, configured tool servers."""
