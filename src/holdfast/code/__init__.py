"""Source code as a value: its languages, what a file offers and needs, its sections. Imports nothing but `core`."""
