"""Signs in like a user: finds the operations that sign up and log in, tries them, and describes what the tests do."""
