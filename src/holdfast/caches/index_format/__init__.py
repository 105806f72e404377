"""What both compiled indexes of a cache are made of (docs/formats/index.md)."""
