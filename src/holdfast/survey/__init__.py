"""Operations over all families at once: what was saved, and whether everything is in order."""
