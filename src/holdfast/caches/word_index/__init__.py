"""The index of words, which `resolve` looks up (docs/formats/index.md)."""
