"""`NamedTuple`, as in `typing`, at a tenth of the import.

`typing` and `collections` cost a cold command several milliseconds (docs/decisions/0006-cold-start.md). Type checkers
see the real `typing.NamedTuple`; at run time a subclass gets the same constructor, fields, equality and order.
"""

from __future__ import annotations

__all__ = ["NamedTuple"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from _collections import _tuplegetter

    class NamedTuple(tuple):  # slots come with each subclass, below
        __slots__ = ()

        def __init_subclass__(cls) -> None:
            cls._fields = fields = tuple(cls.__annotations__)
            defaults = tuple([cls.__dict__[name] for name in fields if name in cls.__dict__])
            names = ", ".join(fields)
            new = eval(f"lambda cls, {names}: make(cls, ({names},))", {"make": tuple.__new__})  # noqa: S307  # field names only
            new.__defaults__ = defaults
            cls.__new__ = staticmethod(new)
            for position, name in enumerate(fields):
                setattr(cls, name, _tuplegetter(position, None))

        def __repr__(self) -> str:
            return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in zip(self._fields, self, strict=True))})"

        def _asdict(self) -> dict[str, object]:
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, **changes: object) -> object:
            return type(self)(**{**self._asdict(), **changes})

        def __getnewargs__(self) -> tuple[object, ...]:
            return tuple(self)
