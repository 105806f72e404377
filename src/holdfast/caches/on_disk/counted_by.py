"""How the tokens of a cache were counted, asked only where its section index cannot answer."""

from __future__ import annotations

from holdfast.caches.index_format import IndexUnusable, find_tokenizer, parse_header
from holdfast.caches.on_disk.cache_directory import COMPILED, LIST_FILE, OLD_INDEX_FILES, CacheDirectory
from holdfast.caches.on_disk.index_reader import listing_digests
from holdfast.caches.tokenizers import USUAL, WITHOUT_EXTRA
from holdfast.core import posix_calls
from holdfast.core.errors import CacheInvalid, IoError
from holdfast.core.regular_files import NotRegular, close_quietly


def tokenizer_of_documents(directory: CacheDirectory) -> str:
    """The tokenizer by which the documents alone give the answer that the cache gave when it was built.

    It is the one that the index names, where that needs no extra; where there never was an index, since others built
    the cache, the usual one. CacheInvalid elsewhere: no answer is better than one that was counted otherwise.
    """
    if not directory.has(COMPILED):
        if not directory.is_current():
            # A rebuild removes the cache it replaced: the folder may have been there a moment ago.
            raise CacheInvalid("it was replaced while it was read")
        return USUAL
    tokenizer = recorded_tokenizer(directory)
    if tokenizer is None:
        raise CacheInvalid(
            f"'{COMPILED}/' is damaged, and nothing in it says how tokens were counted: build the cache again"
        )
    if tokenizer not in WITHOUT_EXTRA:
        raise CacheInvalid(
            f"'{COMPILED}/' is damaged, and its tokens were counted by a tokenizer: build the cache again"
        )
    return tokenizer


def recorded_tokenizer(directory: CacheDirectory) -> str | None:
    """The tokenizer named by the list of `index/`, or by a file that an earlier release wrote there.

    None where none belongs to the cache and says so undamaged.

    IoError where the system would not let it be read.
    """
    refused: OSError | None = None
    for file in (LIST_FILE, *OLD_INDEX_FILES):
        try:
            return _tokenizer_in(directory, file)
        except (IndexUnusable, FileNotFoundError, NotRegular):
            pass
        except OSError as error:
            refused = error
    if refused is not None:
        raise IoError(f"'{COMPILED}/' cannot be read: {refused.strerror}")
    return None


def _tokenizer_in(directory: CacheDirectory, file: str) -> str:
    descriptor = directory.open(file)

    def read(offset: int, length: int) -> bytes:
        return posix_calls.pread(descriptor, length, offset)

    try:
        header = parse_header(read, kind="", file_length=posix_calls.fstat(descriptor).st_size)
        _, manifest, index = listing_digests(directory)
        if (manifest, index) != (header.manifest_digest, header.index_digest):
            raise IndexUnusable("of another cache")
        return find_tokenizer(read, header)
    finally:
        close_quietly(descriptor)
