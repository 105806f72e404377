"""Documents that place characters of late Unicode versions where structure, words and case are decided."""

from __future__ import annotations

from pathlib import Path

# Letters, digits, marks and symbols by the version that added them; an older interpreter knows none of them.
NEW_CHARACTERS = {
    "15.0": "\U0001df25\U00011f02\U00011f50\U00031350\U0001e030\u0cf3\u0ece",
    "15.1": "\U0002ebf0\u2ffc",
    "16.0": "\u1c89\u1c8a\ua7cb\U00010d40\U00010d50\U0001ccf0\U00016d63\U000113d0",
    "17.0": "\ua7ce\ua7cf\U00016ea0\U000323b0\U00011de0\u20c1\u1ae0",
}

_MARKDOWN = """---
title: {c}apple {c}
---
# {c} Opening {c}

intro

<{c}>
# below a tag

text after apple

<{c}a b>
# below another tag

</{c}>
# below an end

para <{c}>
# in a paragraph

{c}. pear
1{c}. pear
1.{c}pear
-{c}pear
- {c} pear

{c}
===

 {c}
---

apple
{c}plum
---

```{c}
# no heading
```{c}
# still none
```

apple{c}pear {c}apple apple{c} use{c}Effect useE{c}ffect HTTP{c}Server os.{c}path max_{c}depth
A{c}\u03a3 a\u03a3{c} \u03a3{c}a {c}\u03a3
{c}
## {c} {{#{c}}}

last {c} {{.{c}}}
"""

_RESTRUCTURED = """.. _lab{c}:

:{c}:`Title` apple
==================

apple text :{c}:`pear`

a{c}:r{c}:`Other` plum
----------------------

{c}
~~~

{c}. pear

#. {c} plum

.. {c}::

   apple
"""


def write_new_characters(folder: Path) -> None:
    """Two documents a character, one of each markup; the character stands in the names too."""
    for version, characters in NEW_CHARACTERS.items():
        home = folder / version
        home.mkdir(parents=True)
        for character in characters:
            name = f"{ord(character):x}-A{character}\u03a3"
            (home / f"{name}.md").write_text(_MARKDOWN.format(c=character), encoding="utf-8", newline="")
            (home / f"{name}.rst.md").write_text(_RESTRUCTURED.format(c=character), encoding="utf-8", newline="")


def new_character_queries() -> list[str]:
    """Words at whose edges such a character stands, all of a version together."""
    return [
        " ".join([f"apple{character} {character}pear title {character}" for character in characters])
        for characters in NEW_CHARACTERS.values()
    ]
