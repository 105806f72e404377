"""Steering documents, spec status and guides: the spec workflow of a project."""
