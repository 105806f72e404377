"""Which files are source: what counts towards a directory's size and what is analysed."""

from __future__ import annotations

from holdfast.contexts import schema, settings

_CODE = (
    "py pyi ts tsx mts cts js jsx mjs cjs go rs java kt kts c h cc cpp cxx hpp hh hxx cs rb php swift scala ex exs hs "
    "lua r sql sh bash zsh dart pl pm vue svelte"
)
_DATA = "yaml yml json toml xml html css scss tf hcl dockerfile graphql gql proto"
_PROSE = "md mdx txt rst"
_EXTENSIONS = frozenset(f"{_CODE} {_DATA} {_PROSE}".split())
_NAMES = frozenset(["Dockerfile", "Makefile", "Gemfile", "Rakefile", "Procfile", "Justfile", "go.mod", "setup.cfg"])
_NEVER = frozenset({schema.FILE_NAME, settings.FILE_NAME})


def is_source(name: str) -> bool:
    """Whether a file of this name counts as source."""
    if name in _NEVER:
        return False
    _, dot, extension = name.rpartition(".")
    return (dot != "" and (extension in _EXTENSIONS or extension.lower() in _EXTENSIONS)) or name in _NAMES
