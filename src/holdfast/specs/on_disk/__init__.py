"""The only part of specs that touches the file system."""
