"""The compiled index of a cache: what `resolve` needs, laid out to be looked up (docs/formats/index.md)."""
