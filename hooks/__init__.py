"""The hooks, one module each; `contract.py` says what a hook is."""
