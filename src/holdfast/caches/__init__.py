"""Document caches: a folder of Markdown compiled once, content-addressed, resolved within a token budget."""
