"""One `.context.yaml` per directory: what the directory is for, and whether that is still true."""
