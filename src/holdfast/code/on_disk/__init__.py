"""What the families share of a work tree on disk: which files git tracks, and facts by content."""
