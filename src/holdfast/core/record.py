"""`NamedTuple`, as in `typing`, at a tenth of the import.

`typing` and `collections` cost a cold command several milliseconds (docs/decisions/0006-cold-start.md). Type checkers
see the real `typing.NamedTuple`; at run time a subclass gets the same constructor, fields, equality and order.
"""

from __future__ import annotations

__all__ = ["Generic", "NamedTuple", "TypeVar"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Generic, NamedTuple, TypeVar
else:
    from _collections import _tuplegetter

    def TypeVar(name: str) -> str:  # noqa: N802  # the name that type checkers know
        """A placeholder for a type; its value is never used at run time."""
        return name

    class Generic:
        """Lets a record say `class Outcome(NamedTuple, Generic[Answer])`; at run time that means nothing."""

        __slots__ = ()

        def __class_getitem__(cls, _types: object) -> type:
            return cls

    class NamedTuple(tuple):  # slots come with each subclass, below
        __slots__ = ()

        def __init_subclass__(cls) -> None:
            cls._fields = fields = tuple(cls.__annotations__)
            cls._field_defaults = {name: cls.__dict__[name] for name in fields if name in cls.__dict__}
            for position, name in enumerate(fields):
                setattr(cls, name, _tuplegetter(position, None))

        # One constructor for all: a compiled one for each class would be a tenth of the time a cold command has.
        def __new__(cls, *values: object, **named: object) -> object:
            if named or len(values) != len(cls._fields):
                values = cls._complete(values, named)
            return tuple.__new__(cls, values)

        # Of values that are complete: in hot places, without a step of the interpreter.
        _make = classmethod(tuple.__new__)

        @classmethod
        def _complete(cls, values: tuple[object, ...], named: dict[str, object]) -> tuple[object, ...]:
            missing, defaults = len(cls._fields) - len(values), cls._field_defaults
            if not named and 0 < missing <= len(defaults):  # defaults are those of the last fields
                return values + tuple(defaults.values())[len(defaults) - missing :]
            rest = cls._fields[len(values) :]
            given = {**cls._field_defaults, **named}
            if len(values) > len(cls._fields) or not named.keys() <= set(rest) or not given.keys() >= set(rest):
                raise TypeError(f"{cls.__name__} takes {', '.join(cls._fields)}, each once")
            return (*values, *[given[name] for name in rest])

        def __repr__(self) -> str:
            return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in zip(self._fields, self, strict=True))})"

        def _asdict(self) -> dict[str, object]:
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, **changes: object) -> object:
            return type(self)(**{**self._asdict(), **changes})

        def __getnewargs__(self) -> tuple[object, ...]:
            return tuple(self)
