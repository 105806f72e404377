"""The only part of this family that touches the file system: scanning, reading, writing and watching contexts."""
