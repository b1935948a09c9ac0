"""cchooks: small hooks for Claude Code, and the installer that merges them into its settings."""

__version__ = "0.1.0"  # the same as in pyproject.toml; importlib.metadata would cost 40 ms to say so
