"""Tests that run the real command in a project."""
