"""Readers: each makes Markdown of one kind of source, with a title and the lines that each line of it stands for."""
