"""What a project declares in `context.toml` and has built as `context.lock` says. Pure."""
