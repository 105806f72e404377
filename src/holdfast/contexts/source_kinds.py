"""Which files are source: what counts towards a directory's size and what is analysed."""

from __future__ import annotations

from holdfast.contexts import schema, settings
from holdfast.contexts.languages import EXTENSIONS, extension_of

# Code that counts as source and is in no language that is analysed.
_CODE = "hs r sql zsh dart pl pm vue svelte"
_DATA = "yaml yml json toml xml html css scss tf hcl dockerfile graphql gql proto"
_PROSE = "md mdx txt rst"
_EXTENSIONS = EXTENSIONS | frozenset(f"{_CODE} {_DATA} {_PROSE}".split())
_NAMES = frozenset(["Dockerfile", "Makefile", "Gemfile", "Rakefile", "Procfile", "Justfile", "go.mod", "setup.cfg"])
_NEVER = frozenset({schema.FILE_NAME, settings.FILE_NAME})


def is_source(name: str) -> bool:
    """Whether a file of this name counts as source."""
    if name in _NEVER:
        return False
    return extension_of(name) in _EXTENSIONS or name in _NAMES
