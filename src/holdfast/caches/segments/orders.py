"""The three orders of documents in a segment, distinguished by type checkers; each is an `int` at run time.

- `Place`: the rank of a document in id order; in a segment from its first document, in a cache from the first of all.
- `Number`: the rank of a document of a segment by (words, id), which the ranking of `resolve` walks.
- `Position`: the rank of an entry in a list, whatever the list holds.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NewType

    Place = NewType("Place", int)
    Number = NewType("Number", int)
    Position = NewType("Position", int)
else:
    Place = Number = Position = int  # `typing` takes longer to load than a cold command has
