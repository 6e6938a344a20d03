"""Load tests of a web API: tasks from its operations, profiles, limits from measured figures, and the locustfile."""
