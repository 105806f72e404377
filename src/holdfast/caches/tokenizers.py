"""The ways tokens of sections are counted, each by its name: which there are, and the function that counts."""

from __future__ import annotations

from holdfast.core.errors import UsageError
from holdfast.core.tokens import tokens_of_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    CountTokens = Callable[[str], int]

ESTIMATE = "estimate-1"
O200K = "o200k_base"
BYTES = "bytes/4"
# The tokenizer of a cache unless its declaration names another, and of any cache without an index.
USUAL = ESTIMATE
TOKENIZERS = (ESTIMATE, O200K, BYTES)
# These need nothing but this package, so that documents can be counted again wherever they are read.
WITHOUT_EXTRA = (ESTIMATE, BYTES)
# What can count by o200k_base, the extra first; they give the same counts.
_PACKAGES = ("splintr", "rs_bpe")


def choose_tokenizer(wanted: str | None) -> str:
    """The name of the tokenizer to use: what is wanted, else the usual one; UsageError where it cannot be had."""
    if wanted is None:
        return USUAL
    if wanted not in TOKENIZERS:
        raise UsageError(f"there is no tokenizer '{wanted}': choose one of {', '.join(TOKENIZERS)}")
    if not is_installed(wanted):
        raise UsageError(f"the tokenizer '{wanted}' is not installed: pip install 'holdfast-context[tokens]'")
    return wanted


def is_installed(tokenizer: str) -> bool:
    """Whether texts can be counted by the tokenizer here."""
    if tokenizer in WITHOUT_EXTRA:
        return True
    from importlib.util import find_spec

    return any(find_spec(name) is not None for name in _PACKAGES)


def counter(tokenizer: str) -> CountTokens:
    """The function that counts the tokens of a text by the tokenizer of that name."""
    if tokenizer == BYTES:
        return lambda text: tokens_of_bytes(len(text.encode()))
    if tokenizer == ESTIMATE:
        from holdfast.core.token_estimate import estimate_tokens

        return estimate_tokens
    return _exact_counter()


def count_sections(texts: Sequence[str], tokenizer: str, count_tokens: CountTokens) -> tuple[list[int], list[int]]:
    """The tokens of each section of a document, and what its text weighs modulo 65,536, where that is counted with
    them; the function is that of `counter`."""
    if tokenizer != ESTIMATE:
        return list(map(count_tokens, texts)), []
    from holdfast.core.token_estimate import weighed

    both = list(map(weighed, texts))
    return [tokens for tokens, _ in both], [weight & 0xFFFF for _, weight in both]


def line_counter(tokenizer: str) -> tuple[CountTokens, Callable[[int], int]]:
    """What the lines of a text weigh by a tokenizer that needs no extra, the end of the last included, and the tokens
    of all lines of a text together. Weights add up, where a text begins with a letter or a digit."""
    if tokenizer == BYTES:
        return lambda text: len(text.encode()) + 1, tokens_of_bytes
    from holdfast.core.token_estimate import cost_of_lines, tokens_at_cost

    return cost_of_lines, tokens_at_cost


def _exact_counter() -> CountTokens:
    try:
        import splintr
    except ImportError:
        from rs_bpe.bpe import openai

        count: CountTokens = openai.o200k_base().count
        return count
    encode = splintr.Tokenizer.from_pretrained(O200K).encode_ordinary
    return lambda text: len(encode(text))
