"""What `RememberedFiles` promises: never stale, one `stat` a hit, bounded, safe under threads, and no exception."""

from __future__ import annotations

import os
import socket
from hashlib import sha256
from random import Random
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from holdfast.core.file_contents import MAX_KEPT, FileContents, FileDigest, RememberedFiles, SystemFiles
from support.file_systems import CountedFiles, DisturbedFiles, FilesWithoutChangeTime, SlowClockFiles, pass_a_tick

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HIT = ["stat"]
LOAD = ["stat", "open", "fstat", "read", "fstat", "close"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file.md"
    path.write_bytes(b"one")
    return path


def digest_of(data: bytes) -> FileDigest:
    return FileDigest(sha256(data).hexdigest(), len(data))


def counts(contents: FileContents, namespace: str = "test") -> tuple[int, ...]:
    return tuple(contents.telemetry()[namespace].values())


class TestCost:
    def test_a_first_read_loads_the_file_and_every_further_one_costs_one_stat(self, file: Path) -> None:
        files = CountedFiles()
        contents = RememberedFiles(files)
        answers = [(contents.read(str(file), namespace="test"), files.taken()) for _ in range(3)]
        assert answers == [(b"one", LOAD), (b"one", HIT), (b"one", HIT)]

    def test_a_digest_costs_the_same_and_keeps_no_content(self, file: Path) -> None:
        files = CountedFiles()
        contents = RememberedFiles(files)
        answers = [(contents.digest(str(file), namespace="test"), files.taken()) for _ in range(2)]
        then = (contents.read(str(file), namespace="test"), files.taken())
        assert (answers, then) == ([(digest_of(b"one"), LOAD), (digest_of(b"one"), HIT)], (b"one", LOAD))

    def test_a_digest_of_a_file_that_was_read_costs_one_stat(self, file: Path) -> None:
        files = CountedFiles()
        contents = RememberedFiles(files)
        contents.read(str(file), namespace="test")
        files.taken()
        assert (contents.digest(str(file), namespace="test"), files.taken()) == (digest_of(b"one"), HIT)

    def test_a_memo_costs_one_stat_a_file(self, tmp_path: Path) -> None:
        files = CountedFiles()
        contents = RememberedFiles(files)
        paths = [str(tmp_path / name) for name in "ab"]
        for path in paths:
            with open(path, "wb") as file:
                file.write(path[-1:].encode())
        made = [(contents.memo("key", paths, lambda a, b: [a, b], namespace="test"), files.taken()) for _ in range(2)]
        assert made == [([b"a", b"b"], LOAD + LOAD), ([b"a", b"b"], HIT + HIT)]


def rewrite(file: Path) -> None:
    file.write_bytes(b"changed")


def edit_with_a_new_mtime(file: Path) -> None:
    file.write_bytes(b"two")
    os.utime(file, ns=(10**18, 10**18))


def edit_of_the_same_size_with_the_mtime_restored(file: Path) -> None:
    status = file.stat()
    file.write_bytes(b"two")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def replace_by_rename(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(b"two")
    status = file.stat()
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(file)


def replace_by_a_link_elsewhere(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(b"two")
    status = file.stat()
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    file.unlink()
    file.symlink_to(other)


def delete_and_recreate(file: Path) -> None:
    status = file.stat()
    file.unlink()
    file.write_bytes(b"two")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


CHANGES = (
    edit_with_a_new_mtime,
    edit_of_the_same_size_with_the_mtime_restored,
    replace_by_rename,
    replace_by_a_link_elsewhere,
    delete_and_recreate,
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.replace("_", " "))
@pytest.mark.parametrize("files", [CountedFiles(), SystemFiles()], ids=["at rest", "just written"])
class TestNeverStale:
    """Of a file at rest the entry is trusted and its identity must give the change away; one just written is reread."""

    def test_a_read_sees_the_change(self, file: Path, files: SystemFiles, change: Callable[[Path], None]) -> None:
        contents = RememberedFiles(files)
        before = contents.read(str(file), namespace="test")
        pass_a_tick(file)
        change(file)
        assert (before, contents.read(str(file), namespace="test")) == (b"one", b"two")

    def test_a_digest_sees_the_change(self, file: Path, files: SystemFiles, change: Callable[[Path], None]) -> None:
        contents = RememberedFiles(files)
        before = contents.digest(str(file), namespace="test")
        pass_a_tick(file)
        change(file)
        assert (before, contents.digest(str(file), namespace="test")) == (digest_of(b"one"), digest_of(b"two"))

    def test_a_memo_sees_the_change(self, file: Path, files: SystemFiles, change: Callable[[Path], None]) -> None:
        contents = RememberedFiles(files)
        before = contents.memo("key", [str(file)], bytes.upper, namespace="test")
        pass_a_tick(file)
        change(file)
        assert (before, contents.memo("key", [str(file)], bytes.upper, namespace="test")) == (b"ONE", b"TWO")


class TestTheClocksGrain:
    STAMP = 1_700_000_000_123_456_789

    def test_two_edits_within_one_tick_are_told_apart_though_their_stamps_are_equal(self, file: Path) -> None:
        files = SlowClockFiles(self.STAMP, age=1_000_000)
        contents = RememberedFiles(files)
        seen = [contents.read(str(file), namespace="test")]
        for edit in (b"two", b"six"):
            file.write_bytes(edit)
            seen.append(contents.read(str(file), namespace="test"))
        assert seen == [b"one", b"two", b"six"]

    def test_an_entry_read_within_the_grain_is_read_again_once_it_is_older_and_then_trusted(self, file: Path) -> None:
        files = SlowClockFiles(self.STAMP, age=1_000_000)
        contents = RememberedFiles(files)
        contents.read(str(file), namespace="test")
        files.age = 60_000_000
        files.taken()
        calls = []
        for _ in range(2):
            contents.read(str(file), namespace="test")
            calls.append(files.taken())
        assert calls == [LOAD, HIT]

    @pytest.mark.parametrize(
        ("stamp", "age", "expected"),
        [
            pytest.param(STAMP, 50_000_000, LOAD, id="a fine stamp within 50 ms"),
            pytest.param(STAMP, 50_000_001, HIT, id="a fine stamp after 50 ms"),
            pytest.param(1_700_000_000_000_000_000, 2_100_000_000, LOAD, id="a stamp in whole seconds within 2.1 s"),
            pytest.param(1_700_000_000_000_000_000, 2_100_000_001, HIT, id="a stamp in whole seconds after 2.1 s"),
            pytest.param(STAMP, -5, LOAD, id="a stamp in the future"),
        ],
    )
    def test_the_grain_follows_from_the_stamp(self, file: Path, stamp: int, age: int, expected: list[str]) -> None:
        files = SlowClockFiles(stamp, age)
        contents = RememberedFiles(files)
        contents.read(str(file), namespace="test")
        files.taken()
        contents.read(str(file), namespace="test")
        assert files.taken() == expected

    def test_reading_again_what_hashes_the_same_keeps_what_was_made_of_it(self, file: Path) -> None:
        contents = RememberedFiles(SlowClockFiles(self.STAMP, age=0))
        made = [contents.memo("key", [str(file)], lambda data: [data], namespace="test") for _ in range(2)]
        assert made[0] is made[1]


class TestParent:
    """A file looked for in an open directory is the one that is there, wherever its path leads by then."""

    def test_a_link_in_place_of_the_directory_is_not_followed_and_a_hit_costs_one_stat(self, tmp_path: Path) -> None:
        real, path = tmp_path / "real", str(tmp_path / "real" / "file.md")
        for folder, text in ((real, b"one"), (tmp_path / "outside", b"two")):
            folder.mkdir()
            (folder / "file.md").write_bytes(text)
        files = CountedFiles()
        contents = RememberedFiles(files)
        parent = os.open(real, os.O_RDONLY)
        try:
            real.rename(tmp_path / "aside")
            real.symlink_to(tmp_path / "outside")
            seen = [(contents.read(path, namespace="test", parent=parent), files.taken()) for _ in range(2)]
            made = contents.memo("key", (path,), bytes.decode, namespace="test", parent=parent)
            as_text = contents.text(path, namespace="test", parent=parent)
        finally:
            os.close(parent)
        assert (seen, made, as_text) == ([(b"one", LOAD), (b"one", HIT)], "one", "one")
        assert contents.read(path, namespace="test") == b"two"


class TestChangeWhileReading:
    def test_a_file_that_changes_once_while_it_is_read_is_read_again(self, file: Path) -> None:
        changes = iter([b"a longer text", None, None])

        def disturb() -> None:
            if (change := next(changes)) is not None:
                file.write_bytes(change)

        contents = RememberedFiles(DisturbedFiles(disturb))
        seen = [contents.read(str(file), namespace="test") for _ in range(2)]
        assert (seen, counts(contents)) == ([b"a longer text"] * 2, (1, 1, 0, 0))

    def test_a_change_in_place_that_keeps_the_size_never_hands_out_half_of_each(self, file: Path) -> None:
        size = (1 << 20) + 1000  # more than one call reads
        file.write_bytes(b"a" * size)
        pass_a_tick(file)
        changes = iter([b"b" * size, None])

        def disturb() -> None:
            if (change := next(changes, None)) is not None:
                file.write_bytes(change)

        contents = RememberedFiles(DisturbedFiles(disturb, after="read"))
        seen = [contents.read(str(file), namespace="test") for _ in range(2)]
        assert (set(seen), counts(contents)) == ({b"b" * size}, (1, 1, 0, 0))

    def test_a_file_emptied_and_filled_again_while_it_is_read_is_not_taken_for_empty(self, file: Path) -> None:
        class EmptiedFiles(SlowClockFiles):
            emptied = False

            def read(self, descriptor: int, size: int) -> bytes:
                if self.emptied:
                    return super().read(descriptor, size)
                self.emptied = True
                return b""

        contents = RememberedFiles(EmptiedFiles(1_700_000_000_000_000_001, age=10**10))
        assert (contents.read(str(file), namespace="test"), counts(contents)) == (b"one", (0, 1, 0, 0))

    def test_a_file_that_never_holds_still_is_handed_out_and_not_kept(self, file: Path) -> None:
        written: list[bytes] = []

        def disturb() -> None:
            written.append(b"x" * (len(written) + 10))
            file.write_bytes(written[-1])

        contents = RememberedFiles(DisturbedFiles(disturb))
        seen = [contents.read(str(file), namespace="test") for _ in range(2)]
        assert (seen, counts(contents)) == ([b"x" * 12, b"x" * 15], (0, 0, 2, 0))

    def test_a_memo_is_filed_under_the_bytes_it_was_made_of(self, file: Path) -> None:
        """The file changes while its value is made, then changes back: the value made is not taken for the other."""
        contents = RememberedFiles()

        def make(data: bytes) -> bytes:
            rewrite(file)
            return data.upper()

        values = [contents.memo("key", [str(file)], make, namespace="test")]
        values.append(contents.memo("key", [str(file)], bytes.upper, namespace="test"))
        file.write_bytes(b"one")
        values.append(contents.memo("key", [str(file)], bytes.upper, namespace="test"))
        assert values == [b"ONE", b"CHANGED", b"ONE"]


def test_where_a_file_system_keeps_no_change_time_a_restored_mtime_hides_nothing(file: Path) -> None:
    contents = RememberedFiles(FilesWithoutChangeTime())
    seen = []
    for text in (b"one", b"two", b"six"):
        file.write_bytes(text)
        os.utime(file, ns=(10**18, 10**18))
        seen += [contents.read(str(file), namespace="test") for _ in range(2)]
    assert (seen, counts(contents)) == ([b"one", b"one", b"two", b"two", b"six", b"six"], (0, 3, 0, 3))


class TestMemo:
    def test_a_changed_identity_with_an_equal_hash_keeps_the_value(self, file: Path) -> None:
        contents = RememberedFiles(CountedFiles())
        made = [contents.memo("key", [str(file)], lambda data: [data], namespace="test")]
        file.unlink()
        file.write_bytes(b"one")
        made.append(contents.memo("key", [str(file)], lambda data: [data], namespace="test"))
        # It was read again, and that is told: an operator sees what it costs.
        assert (made[0] is made[1], counts(contents)) == (True, (0, 1, 0, 1))

    def test_a_value_says_itself_what_it_weighs(self, file: Path) -> None:
        class Heavy(str):
            held_weight = 5_000

        contents = RememberedFiles(CountedFiles(), max_bytes=4_000)
        made = [contents.memo("key", [str(file)], Heavy, namespace="test") for _ in range(2)]
        assert (made[0] is made[1], counts(contents)) == (False, (0, 0, 2, 0))

    def test_a_missing_file_is_none_and_its_appearance_makes_the_value_again(self, tmp_path: Path) -> None:
        contents = RememberedFiles()
        path = tmp_path / "later.md"
        seen = [contents.memo("key", [str(path)], repr, namespace="test") for _ in range(2)]
        path.write_bytes(b"here")
        seen.append(contents.memo("key", [str(path)], repr, namespace="test"))
        path.unlink()
        seen.append(contents.memo("key", [str(path)], repr, namespace="test"))
        assert (seen, counts(contents)) == (["None", "None", "b'here'", "None"], (1, 3, 0, 0))

    def test_another_variant_makes_the_value_again(self, file: Path) -> None:
        contents = RememberedFiles(CountedFiles())
        made = [
            contents.memo("key", [str(file)], lambda data: [data], namespace="test", variant=variant)
            for variant in ("full", "full", "minimal")
        ]
        assert (made[0] is made[1], made[1] is made[2]) == (True, False)

    def test_keys_and_namespaces_keep_values_apart(self, file: Path) -> None:
        contents = RememberedFiles(CountedFiles())
        places = [("a", "one"), ("b", "one"), ("a", "two")]
        made = {
            place: contents.memo(place[0], [str(file)], lambda _, place=place: place, namespace=place[1])
            for place in places
        }
        assert made == {place: place for place in places}

    def test_recall_gives_the_last_value_though_its_files_changed_and_none_before_it_was_made(self, file: Path) -> None:
        contents = RememberedFiles()
        recalled = [contents.recall("key", namespace="test")]
        contents.memo("key", [str(file)], bytes.upper, namespace="test")
        rewrite(file)
        recalled.append(contents.recall("key", namespace="test"))
        assert recalled == [None, b"ONE"]

    def test_what_make_raises_reaches_the_caller_and_is_not_remembered(self, file: Path) -> None:
        contents = RememberedFiles(CountedFiles())

        def refuse(_data: bytes) -> None:
            raise LookupError("no")

        with pytest.raises(LookupError):
            contents.memo("key", [str(file)], refuse, namespace="test")
        assert contents.recall("key", namespace="test") is None


class TestBounds:
    def write(self, folder: Path, names: str, size: int = 1000) -> list[str]:
        for name in names:
            (folder / name).write_bytes(name.encode() * size)
        return [str(folder / name) for name in names]

    def test_the_least_recently_used_entry_goes_first_and_a_hit_refreshes(self, tmp_path: Path) -> None:
        files = CountedFiles()
        contents = RememberedFiles(files, max_entries=2)
        a, b, c = self.write(tmp_path, "abc")
        for path in (a, b, a, c):
            contents.read(path, namespace="test")
        files.taken()
        calls = []
        for path in (a, c, b):
            contents.read(path, namespace="test")
            calls.append(files.taken())
        assert calls == [HIT, HIT, LOAD]

    def test_bytes_are_bounded_as_well(self, tmp_path: Path) -> None:
        files = CountedFiles()
        contents = RememberedFiles(files, max_bytes=3500)
        a, b, c = self.write(tmp_path, "abc")
        for path in (a, b, c):
            contents.read(path, namespace="test")
        files.taken()
        calls = []
        for path in (b, c, a):
            contents.read(path, namespace="test")
            calls.append(files.taken())
        assert calls == [HIT, HIT, LOAD]

    def test_values_count_towards_the_bounds_too(self, tmp_path: Path) -> None:
        contents = RememberedFiles(CountedFiles(), max_entries=3)
        for path in self.write(tmp_path, "abc"):
            contents.memo(path, [path], len, namespace="test")
        recalled = [contents.recall(str(tmp_path / name), namespace="test") for name in "abc"]
        assert recalled == [None, 1000, 1000]

    def test_a_file_too_large_to_keep_is_read_whole_each_time_and_its_digest_is_remembered(self, file: Path) -> None:
        data = b"0123456789abcdef" * (MAX_KEPT // 16) + b"!"
        file.write_bytes(data)
        files = CountedFiles()
        contents = RememberedFiles(files)
        reads = [contents.read(str(file), namespace="test") == data for _ in range(2)]
        files.taken()
        assert (reads, contents.digest(str(file), namespace="test"), files.taken(), counts(contents)) == (
            [True, True],
            digest_of(data),
            HIT,
            (1, 0, 2, 0),
        )

    def test_after_any_mix_of_calls_the_bytes_counted_are_the_bytes_held(self, tmp_path: Path) -> None:
        random = Random(7)
        contents = RememberedFiles(CountedFiles(), max_entries=6, max_bytes=9000)
        paths = self.write(tmp_path, "abcdefgh")
        for _ in range(500):
            path = random.choice(paths)
            match random.randrange(5):
                case 0:
                    contents.digest(path, namespace="test")
                case 1:
                    contents.memo(path, [path, paths[0]], lambda *data: data, namespace="test")
                case 2:
                    with open(path, "wb") as file:
                        file.write(b"x" * random.randrange(3000))
                case _:
                    contents.read(path, namespace="test")
            assert len(contents._entries) <= 6
            assert contents._entries.held_bytes <= 9000
        for place in list(contents._entries):
            contents._drop(place)
        assert contents._entries.held_bytes == 0


class TestFailures:
    """Each gives a miss, and the next good state is seen."""

    def outcome(self, path: Path) -> tuple[object, ...]:
        contents = RememberedFiles()
        return (
            contents.read(str(path), namespace="test"),
            contents.text(str(path), namespace="test"),
            contents.digest(str(path), namespace="test"),
            contents.memo("key", [str(path)], lambda data: data, namespace="test"),
            counts(contents),
        )

    MISS = (None, None, None, None, (0, 4, 0, 0))

    def test_no_file(self, tmp_path: Path) -> None:
        assert self.outcome(tmp_path / "none") == self.MISS

    def test_a_directory(self, tmp_path: Path) -> None:
        assert self.outcome(tmp_path) == self.MISS

    def test_a_loop_of_links(self, tmp_path: Path) -> None:
        (tmp_path / "loop").symlink_to("loop")
        assert self.outcome(tmp_path / "loop") == self.MISS

    def test_a_path_through_a_file(self, file: Path) -> None:
        assert self.outcome(file / "below") == self.MISS

    def test_a_name_too_long(self, tmp_path: Path) -> None:
        assert self.outcome(tmp_path / ("n" * 5000)) == self.MISS

    def test_a_name_with_nul_or_a_lone_surrogate(self, tmp_path: Path) -> None:
        contents = RememberedFiles()
        paths = [str(tmp_path / "a\0b"), str(tmp_path / "\ud800")]
        assert [contents.read(path, namespace="test") for path in paths] == [None, None]

    @pytest.mark.parametrize("kind", ["fifo", "socket", "device"])
    def test_what_is_no_regular_file_is_never_opened(
        self, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "special"
        files = CountedFiles()
        contents = RememberedFiles(files)
        with socket.socket(socket.AF_UNIX) as listener:
            if kind == "fifo":
                os.mkfifo(path)
            elif kind == "socket":
                monkeypatch.chdir(tmp_path)  # a socket's path must be short
                listener.bind("special")
            else:
                path.symlink_to("/dev/zero")
            assert (contents.read(str(path), namespace="test"), files.taken()) == (None, ["stat"])

    def test_a_file_that_may_not_be_read(self, file: Path) -> None:
        class Refusing(CountedFiles):
            def open(self, path: str, *, dir_fd: int | None = None) -> int:  # type: ignore[override]  # a method here
                raise PermissionError(13, "Permission denied", path)

        contents = RememberedFiles(Refusing())
        assert (contents.read(str(file), namespace="test"), counts(contents)) == (None, (0, 1, 0, 0))

    def test_a_file_that_vanishes_between_stat_and_open_or_fails_while_it_is_read(self, file: Path) -> None:
        class Vanishing(CountedFiles):
            def open(self, path: str, *, dir_fd: int | None = None) -> int:  # type: ignore[override]  # a method here
                os.unlink(path)
                return super().open(path, dir_fd=dir_fd)

        class Failing(CountedFiles):
            def read(self, descriptor: int, size: int) -> bytes:
                raise OSError(5, "Input/output error")

        failing = Failing()
        seen = [RememberedFiles(files).read(str(file), namespace="test") for files in (failing, Vanishing())]
        assert (seen, failing.taken()) == ([None, None], ["stat", "open", "fstat", "close"])

    def test_a_fifo_that_takes_the_place_of_the_file_at_the_last_moment_is_not_waited_on(self, file: Path) -> None:
        class Swapping(CountedFiles):
            def open(self, path: str, *, dir_fd: int | None = None) -> int:  # type: ignore[override]  # a method here
                os.unlink(path)
                os.mkfifo(path)
                return super().open(path, dir_fd=dir_fd)

        assert RememberedFiles(Swapping()).read(str(file), namespace="test") is None

    def test_a_file_that_was_remembered_and_is_gone_is_a_miss(self, file: Path) -> None:
        contents = RememberedFiles(CountedFiles())
        before = contents.read(str(file), namespace="test")
        file.unlink()
        assert (before, contents.read(str(file), namespace="test"), contents._entries.held_bytes) == (b"one", None, 0)

    def test_bytes_that_are_not_utf8_become_replacement_characters_in_text_only(self, file: Path) -> None:
        file.write_bytes(b"caf\xe9 \xff")
        contents = RememberedFiles()
        seen = (contents.text(str(file), namespace="test"), contents.read(str(file), namespace="test"))
        assert seen == ("caf\ufffd \ufffd", b"caf\xe9 \xff")


class TestTelemetry:
    def test_counts_are_kept_apart_by_namespace_and_sorted(self, file: Path, tmp_path: Path) -> None:
        contents = RememberedFiles(CountedFiles())
        contents.read(str(file), namespace="steering")
        contents.read(str(file), namespace="steering")
        contents.read(str(file), namespace="guide")
        contents.digest(str(tmp_path / "none"), namespace="context")
        assert list(contents.telemetry().items()) == [
            ("context", {"hits": 0, "misses": 1, "uncached": 0, "rereads": 0}),
            ("guide", {"hits": 1, "misses": 0, "uncached": 0, "rereads": 0}),
            ("steering", {"hits": 1, "misses": 1, "uncached": 0, "rereads": 0}),
        ]


@pytest.mark.rough
def test_eight_threads_and_ten_thousand_mixed_calls_only_ever_see_contents_the_file_had(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in "abcd"]
    versions = {path: [b"%s version %d" % (os.path.basename(path).encode(), n) for n in range(40)] for path in paths}
    for path in paths:
        with open(path, "wb") as file:
            file.write(versions[path][0])
    contents = RememberedFiles(max_entries=5)
    wrong: list[object] = []

    def change(path: str) -> None:
        for number, version in enumerate(versions[path]):
            beside = f"{path}.{number}"
            with open(beside, "wb") as file:
                file.write(version)
            os.utime(beside, ns=(10**18, 10**18))
            os.replace(beside, path)

    def ask(seed: int) -> None:
        random = Random(seed)
        try:
            for _ in range(1250):
                path = random.choice(paths)
                known = versions[path]
                match random.randrange(3):
                    case 0:
                        if (data := contents.read(path, namespace="read")) not in known:
                            wrong.append(data)
                    case 1:
                        if (digest := contents.digest(path, namespace="digest")) not in [
                            digest_of(data) for data in known
                        ]:
                            wrong.append(digest)
                    case _:
                        value = contents.memo(path, [path], bytes.upper, namespace="memo")
                        if value not in [version.upper() for version in known]:
                            wrong.append(value)
        except BaseException as error:
            wrong.append(error)

    threads = [Thread(target=ask, args=(seed,)) for seed in range(8)]
    threads += [Thread(target=change, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asked = sum(sum(counted.values()) for counted in contents.telemetry().values())
    final = [contents.read(path, namespace="read") == versions[path][-1] for path in paths]
    assert (wrong, asked, final) == ([], 10_000, [True] * 4)
