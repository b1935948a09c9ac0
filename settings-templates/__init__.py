"""One JSON file a hook: what it registers for. This folder is the list of hooks."""
