"""What a source file offers and needs, found without running it."""
