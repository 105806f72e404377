"""What every family shares: errors, bytes, paths and writes. Imports nothing from the rest of the package."""
