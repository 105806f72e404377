"""Door 4: the server over HTTP, on the official SDK; an extra."""
