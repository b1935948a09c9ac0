"""cchooks: small hooks for Claude Code, and the installer that merges them into its settings."""
