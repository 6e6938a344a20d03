"""What has changed since a commit: read from git, compared by syntax tree, told as plain data."""
