"""The only part of this family that touches the file system: one directory, reading, checking and writing caches."""
