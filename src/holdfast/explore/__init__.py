"""Door 3: the project in a browser, on this machine alone. It reads, and asks the operations that the tools ask."""
