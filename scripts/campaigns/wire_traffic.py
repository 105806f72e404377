"""Lines to send to a server, made from a seed: valid requests of both eras, mutants of them, and what is neither."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from playground import OFFERS, offered_calls
from wire_model import CAPABILITIES_KEY, MODERN, VERSION_KEY, Owed, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wire_model import Key, Model

META = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "campaign", "version": "0"}}
INITIALIZE = {"method": "initialize", "params": CLIENT}


class Template(NamedTuple):
    """A valid request that lacks its id only."""

    message: dict[str, Any]
    before_id: bytes
    after_id: bytes
    tool: str  # "" for a request that is no call
    call: int  # which of the offered calls


class Sent(NamedTuple):
    """One line, what it is owed and what it cancels."""

    line: bytes
    owed: Owed | None
    cancels: Key | None


def templates() -> list[Template]:
    """Every valid request, in both eras where it has two."""
    found = [
        _template(INITIALIZE),
        _template({"method": "ping"}),
        _template({"method": "tools/list"}),
        _template({"method": "tools/list", "params": {"_meta": META}}),
        _template({"method": "server/discover", "params": {"_meta": META}}),
    ]
    for method, params in OFFERS:
        found.append(_template({"method": method, "params": params}))
        found.append(_template({"method": method, "params": {**params, "_meta": META}}))
    for number, (tool, arguments) in enumerate(offered_calls()):
        call = {"name": tool, "arguments": arguments}
        found.append(_template({"method": "tools/call", "params": call}, tool, number))
        found.append(_template({"method": "tools/call", "params": {**call, "_meta": META}}, tool, number))
    return found


def _template(message: dict[str, Any], tool: str = "", call: int = -1) -> Template:
    whole = {"jsonrpc": "2.0", "id": "@", **message}
    before, _, after = json.dumps(whole, ensure_ascii=False).encode().partition(b'"@"')
    return Template(whole, before, after, tool, call)


ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 2**53, 2**64, 10**350, -0.0, 1e308, "", "x", "1", "\ud800", "😀", "\0", "../.."),
    *([], {}, [[]], {"a": {}}, [1, "2"], "2.0", MODERN, "2024-11-05", "context.resolve", "docs", "notifications/x"),
    *("tools/call", "ping", META, {"protocolVersion": "2025-06-18"}, "ﬀ\u2028\u0130", "x" * 10_000),
    *(json.loads("[" * 60 + "]" * 60), json.loads('{"a":' * 60 + "1" + "}" * 60)),
)
# Written as they are into a line: numbers and texts that no encoder would write.
ODD_TOKENS = (
    *(b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1e999", b"9" * 500, b"-" + b"9" * 5000, b"1" * 399, b"1" * 400),
    *(b"-0", b"01", b"+1", b".5", b"1.", b"0x10", b"1e", b"''", b"nul", b"True", b"undefined", b"//", b"/**/", b","),
    *(rb'"\ud800"', rb'"\udc00\ud800"', rb'"\ud83d\ude00"', rb'"\uD8"', rb'"\x41"', b'"\x01"', b'"\t"', b'"\x7f"'),
    *(b'"\xff"', b'"\xed\xa0\x80"', b'"\xc0\xaf"', b'"\xf4\x90\x80\x80"', b"\xef\xbb\xbf", b"\0", b"\xe2\x80\xa8"),
)
NOT_REQUESTS = (
    *(b"", b" ", b"\t \r", b"\x0b", b"null", b"true", b"0", b'"text"', b"[]", b"{}", b"[{}]", b"{", b"}", b"]", b'"'),
    *(b'{"jsonrpc":"2.0","method":"notifications/initialized"}', b'{"jsonrpc":"2.0","method":"unheard/of"}'),
    *(b'{"jsonrpc":"2.0","id":1,"result":{}}', b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}'),
    *(b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', b'{"jsonrpc":"2.0","id":null,"method":"ping"}'),
    *(b'{"jsonrpc":"1.0","method":"x"}', b'{"method":"ping"}', b'{"jsonrpc":"2.0","id":{},"method":"ping"}'),
)
UNKNOWN_METHODS = ("", "nonsense", "tools", "tools/", "PING", "ping\n", "\ud800", "initialize ", "rpc.x", "server/x")
# Beyond every interpreter's depth, and within it.
DEEP = (200_000, 1_000_000)
SHALLOW = (20, 200)


class Traffic:
    """The lines of one round, the same for the same seed. The model hears those that are not known to be valid."""

    def __init__(self, seed: str, model: Model, known: list[Template], *, first_id: int = 0) -> None:
        self._random = Random(seed)
        self._model = model
        self._templates = known
        self._next_id = first_id
        self._recent: list[Any] = [1]
        self._kinds: tuple[Callable[[], bytes], ...] = (
            *(self._bytes_mutant,) * 10,
            *(self._member_mutant,) * 12,
            *(self._twice_said,) * 4,
            *(self._odd_token,) * 5,
            *(self._spliced,) * 3,
            *(self._noise,) * 4,
            *(self._not_a_request,) * 4,
            *(self._cancellation,) * 10,
            *(self._unknown_method,) * 3,
            *(self._spaced,) * 3,
            *(self._shallow,) * 2,
        )

    def lines(self, count: int, *, huge: int = 0) -> Iterator[Sent]:
        """That many lines; `huge` of them have 20 MB, one in some thousands 1 MB or a nesting beyond all depths."""
        random, model = self._random, self._model
        huge_at = set(random.sample(range(count), min(huge, count)))
        for number in range(count):
            if number in huge_at:
                yield self._heard(self._long(20_000_000))
            elif model.opened and random.random() < 0.55:
                yield self._valid()
            elif random.random() < 0.0004:
                yield self._heard(self._deep() if random.random() < 0.5 else self._long(1_000_000))
            else:
                yield self._heard(random.choice(self._kinds)())

    def _valid(self) -> Sent:
        number = self._random.randrange(len(self._templates))
        template = self._templates[number]
        identifier = self._identifier()
        if template.tool:
            self._model.count(template.tool)
        line = template.before_id + json.dumps(identifier).encode() + template.after_id
        return Sent(line, Owed(key_of(identifier), number), None)

    def _heard(self, data: bytes) -> Sent:
        line = data.replace(b"\n", b" ")
        return Sent(line, *self._model.hear(line))

    def _identifier(self) -> Any:
        random = self._random
        self._next_id += 1
        number, chance = self._next_id, random.random()
        identifier: Any = number
        if chance > 0.995:
            identifier = random.choice(self._recent)
        elif chance > 0.99:
            identifier = 10**300 + number
        elif chance > 0.98:
            identifier = f"\ud800{number}"
        elif chance > 0.95:
            identifier = -number
        elif chance > 0.85:
            identifier = f"ü😀{number}"
        elif chance > 0.6:
            identifier = str(number)
        if chance < 0.1:
            self._recent = [*self._recent[-20:], identifier]
        return identifier

    def _message(self) -> dict[str, Any]:
        """A valid request with an id, for mutating: its outermost members are its own."""
        return {**self._random.choice(self._templates).message, "id": self._identifier()}

    def _encoded(self, message: Any) -> bytes:
        ascii_only = self._random.random() < 0.5
        # A lone surrogate has no bytes of its own; escaped it has.
        return json.dumps(message, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")

    def _bytes_mutant(self) -> bytes:
        random = self._random
        data = bytearray(self._encoded(self._message()))
        for _ in range(random.choice((1, 1, 1, 2, 5))):
            at = random.randrange(len(data) + 1)
            what = random.randrange(5)
            if what == 0 and at < len(data):
                data[at] ^= 1 << random.randrange(8)
            elif what == 1:
                del data[at : at + random.randrange(1, 9)]
            elif what == 2:
                data[at:at] = random.randbytes(random.randrange(1, 5))
            elif what == 3:
                data[at:at] = data[at : at + random.randrange(1, 40)]
            else:
                del data[at:]
        return bytes(data)

    def _member_mutant(self) -> bytes:
        random = self._random
        message = json.loads(json.dumps(self._message()))
        for _ in range(random.choice((1, 1, 2))):
            holder = message
            while True:
                name = random.choice([*holder, "extra"])
                inner = holder.get(name)
                if isinstance(inner, dict) and inner and random.random() < 0.6:
                    holder = inner
                    continue
                break
            what = random.randrange(4)
            if what == 0:
                holder.pop(name, None)
            elif what == 1:
                holder[random.choice(("id", "method", "params", "_meta", "name", "arguments", "cursor"))] = holder.pop(
                    name, None
                )
            else:
                holder[name] = deepcopy(random.choice(ODD_VALUES))  # the next step may change what is inside
        return self._encoded(message)

    def _twice_said(self) -> bytes:
        """One key twice, in front or at the end; the later one counts."""
        random = self._random
        whole = self._encoded(self._message())
        name = random.choice(("id", "method", "params", "jsonrpc"))
        again = self._encoded({name: random.choice((*ODD_VALUES, "ping", self._identifier()))})[1:-1]
        return b"{" + again + b"," + whole[1:] if random.random() < 0.5 else whole[:-1] + b"," + again + b"}"

    def _odd_token(self) -> bytes:
        """A value in the message replaced by a token as it is."""
        random = self._random
        message = self._message()
        mark = random.choice(("id", "params", "jsonrpc", "method", "extra"))
        message[mark] = "@@"
        return self._encoded(message).replace(b'"@@"', random.choice(ODD_TOKENS))

    def _spliced(self) -> bytes:
        random = self._random
        one, other = self._encoded(self._message()), self._encoded(self._message())
        if random.random() < 0.3:
            return one + random.choice((b"", b" ", b",", b"\r", b"\0")) + other
        return one[: random.randrange(len(one))] + other[random.randrange(len(other)) :]

    def _noise(self) -> bytes:
        random = self._random
        if random.random() < 0.5:
            return random.randbytes(random.randrange(1, 200))
        return bytes(random.choices(b'{}[]:,"\\/0123456789.eE+-truefalsn \t\r', k=random.randrange(1, 120)))

    def _not_a_request(self) -> bytes:
        return self._random.choice(NOT_REQUESTS)

    def _cancellation(self) -> bytes:
        random = self._random
        which: Any = random.choice(
            (self._next_id, self._next_id, self._next_id - random.randrange(50), self._next_id + random.randrange(1, 5))
        )
        if random.random() < 0.3:
            which = random.choice((str(which), *self._recent, *ODD_VALUES))
        params: Any = {"requestId": which, "reason": "never mind"}
        if random.random() < 0.05:
            params = random.choice(ODD_VALUES)
        return self._encoded({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    def _unknown_method(self) -> bytes:
        return self._encoded({**self._message(), "method": self._random.choice(UNKNOWN_METHODS)})

    def _spaced(self) -> bytes:
        random = self._random
        message = json.dumps(self._message(), indent=random.choice((0, 1, 7)), separators=(" ,\t", "\r: "))
        return (" \r\t" + message + "\r").encode()

    def _shallow(self) -> bytes:
        return self._nested(self._random.randint(*SHALLOW))

    def _deep(self) -> bytes:
        return self._nested(self._random.randint(*DEEP))

    def _nested(self, depth: int) -> bytes:
        random = self._random
        opening, closing = random.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'[{"":', b"}]")))
        nest = opening * depth + b"1" + closing * (depth if random.random() < 0.7 else depth - 1)
        if random.random() < 0.3:
            return nest
        message = {**self._message(), random.choice(("params", "extra", "id")): "@@"}
        return self._encoded(message).replace(b'"@@"', nest)

    def _long(self, size: int) -> bytes:
        """A long line: a long query, a long id, long rubbish, many members, many small lists."""
        random = self._random
        what = random.randrange(8)
        identifier = json.dumps(self._identifier()).encode()
        if what == 0:
            query = random.choice((b"token ", "größe 😀 ".encode(), b"\\u00e4 ")) * (size // 6)
            inner = b'{"cache":"docs","budget":9,"query":"' + query + b'"}'
            inner = b'{"name":"context.resolve","arguments":' + inner + b"}"
            return b'{"jsonrpc":"2.0","id":' + identifier + b',"method":"tools/call","params":' + inner + b"}"
        if what == 7:
            inner = (
                b'{"name":"get-implementer-guide","arguments":{"runId":"' + b"r" * size + identifier[:9].strip(b'"\\')
            )
            return b'{"jsonrpc":"2.0","id":' + identifier + b',"method":"tools/call","params":' + inner + b'"}}}'
        if what == 1:
            return b'{"jsonrpc":"2.0","method":"ping","id":"' + b"x" * size + str(self._next_id).encode() + b'"}'
        if what == 2:
            return random.randbytes(1 << 16) * (size >> 16)
        if what == 3:
            return b'{"jsonrpc":"2.0","id":' + identifier + b',"method":"' + b"m" * size + b'"}'
        if what == 4:
            return b'{"jsonrpc":"2.0","id":' + identifier + b',"method":"ping"' + b" " * size + b"}"
        if what == 5:
            return (
                b'{"jsonrpc":"2.0","id":'
                + identifier
                + b',"method":"ping","params":{"a":['
                + b"[]," * (size // 3)
                + b"1]}}"
            )
        return b'"' + b"x" * size
