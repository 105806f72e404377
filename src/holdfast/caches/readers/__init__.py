"""Readers: each makes Markdown of one kind of source, with a title and, for each line, its line in the source."""
