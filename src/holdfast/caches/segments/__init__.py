"""Segments: the unit of build, edit, verification and exchange of a compiled index (docs/formats/index.md)."""
