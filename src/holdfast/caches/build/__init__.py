"""The build: a folder of documents becomes a cache, stage by stage."""
