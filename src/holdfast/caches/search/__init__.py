"""Search: the sections that answer a query, ranked by integer impacts. docs/formats/search.md has the rules."""
