"""The index of sections, which `search` looks up (docs/formats/search.md)."""
