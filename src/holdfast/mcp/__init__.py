"""Door 2: the Model Context Protocol, over standard input and output."""
