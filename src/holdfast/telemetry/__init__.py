"""Metrics and traces of a server, loaded only where they are asked for."""
