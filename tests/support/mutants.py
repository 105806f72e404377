"""Strategies for input that is almost right: valid bytes with a few edits, valid values with a few wrong members."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

ODD_BYTES = st.one_of(
    st.binary(max_size=6),
    st.sampled_from(
        [b"\xff", b"\xed\xa0\x80", b"\0", b"\\u0000", b"\\ud800", b"{", b"}", b"[", b"]", b'"', b",", b":"]
    ),
    st.sampled_from([b"NaN", b"1e999", b"9" * 500, b"-", b"null", b"\n", b"  ", b"\t", b"\xc2\x85", b"\xef\xbb\xbf"]),
)
ODD_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(10**18, 10**320),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
        st.sampled_from(["\ud800", "", "..", "/", "a\0b", "sha256:", "sha256:" + "0" * 64, "documents/../../x"]),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def edited(draw: st.DrawFn, valid: bytes) -> bytes:
    """Bytes with up to four edits: something cut out, something put in."""
    data = bytearray(valid)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        cut = draw(st.one_of(st.integers(0, 8), st.integers(0, len(data))))
        data[at : at + cut] = draw(ODD_BYTES)
    return bytes(data)


@st.composite
def with_wrong_members(draw: st.DrawFn, valid: Any) -> bytes:
    """JSON of a value in which some members, at any depth, are gone, renamed or something else."""
    value = deepcopy(valid)
    for _ in range(draw(st.integers(1, 3))):
        holder: Any = value
        while isinstance(holder, dict | list) and holder:
            place: Any = draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
            if isinstance(holder[place], dict | list) and holder[place] and draw(st.booleans()):
                holder = holder[place]
                continue
            if draw(st.booleans()):
                holder[place] = draw(ODD_VALUES)
            elif isinstance(holder, dict):
                holder[draw(st.text(max_size=4))] = holder.pop(place)
            else:
                holder.append(deepcopy(holder[place]))
            break
    return json.dumps(value).encode()
