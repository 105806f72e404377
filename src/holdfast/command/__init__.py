"""Door 1: the command line: what words mean, help, completions and what a terminal shows."""
