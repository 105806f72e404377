"""How tokens are counted at a build: by a real tokenizer where one is installed, else by bytes. Never at a search."""

from __future__ import annotations

from holdfast.caches.search.receipts import BYTES
from holdfast.core.errors import UsageError
from holdfast.core.tokens import tokens_of_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    CountTokens = Callable[[str], int]

O200K = "o200k_base"
TOKENIZERS = (O200K, BYTES)


def choose_tokenizer(wanted: str | None) -> str:
    """The name of the tokenizer to use: what is wanted, by default the real one if it is there."""
    if wanted == BYTES:
        return BYTES
    if _is_installed():
        return O200K
    if wanted is None:
        return BYTES
    raise UsageError(f"the tokenizer '{wanted}' is not installed: pip install 'holdfast[tokens]', or choose '{BYTES}'")


def _is_installed() -> bool:
    from importlib.util import find_spec

    return find_spec("rs_bpe") is not None


def counter(tokenizer: str) -> CountTokens:
    """The function that counts the tokens of a text."""
    if tokenizer == BYTES:
        return lambda text: tokens_of_bytes(len(text.encode()))
    from rs_bpe.bpe import openai

    count: CountTokens = openai.o200k_base().count
    return count
