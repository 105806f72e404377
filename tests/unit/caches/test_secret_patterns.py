"""Which names and contents are those of secrets, and which only look a little like them."""

from __future__ import annotations

import json
import time

import pytest

from holdfast.caches.secret_patterns import (
    BY_CONTENT,
    BY_NAME,
    FOLDERS,
    NAMES,
    holds_private_key,
    is_secret_path,
    is_withheld,
)

BODY = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"


@pytest.mark.parametrize("name", NAMES)
def test_every_row_of_names_matches_its_own_files_in_any_folder_and_any_case(name: str) -> None:
    example = name.replace("*", "x")
    assert [is_secret_path(path) for path in (example, f"a/b/{example}", example.upper())] == [True, True, True]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_row_of_folders_matches_what_lies_below_it_and_not_a_file_of_that_name(folder: str) -> None:
    paths = (f"{folder}/x.md", f"a/{folder}/b/x.txt", folder, f"{folder}x/x.md", f"x{folder}/x.md")
    assert [is_secret_path(path) for path in paths] == [True, True, folder in NAMES, False, False]


@pytest.mark.parametrize(
    "name",
    ["id_rsa", "id_rsa.txt", "id_work", "ID_ED25519", ".env.local", ".env-prod", ".env_ci.md", "prod.env", "a.PEM"],
)
def test_names_of_secrets(name: str) -> None:
    assert is_secret_path(name)


@pytest.mark.parametrize(
    "name",
    [
        *("id_tokens.md", "idea.md", "environment.md", "env.md", ".env.example", "prod.env.sample", "keys.md", "key"),
        *(
            "pem.rst",
            "monkey",
            "credentials.md",
            "config.json",
            "netrc.rst",
            "ssh/keys.md",
            "gcloud/index.md",
            "",
            "a/",
        ),
    ],
)
def test_names_that_only_look_like_them(name: str) -> None:
    assert not is_secret_path(name)


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "])
def test_a_key_is_found_whatever_stands_around_it(kind: str) -> None:
    key = f"-----BEGIN {kind}PRIVATE KEY-----\n{BODY}\n-----END {kind}PRIVATE KEY-----\n"
    texts = [key, f"# Page\n\n    {key}", json.dumps({"private_key": key}), f"\n\ufeff {key}", f"Bag\r\n{key}"]
    assert [holds_private_key(text.encode()) for text in texts] == [True] * 5
    assert holds_private_key(key.encode("utf-16"))


def test_a_file_that_begins_as_a_key_is_one_whatever_follows() -> None:
    assert holds_private_key(b"-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n")
    assert holds_private_key(b"\xef\xbb\xbf\r\n-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n")


@pytest.mark.parametrize(
    "text",
    [
        *("", "PRIVATE KEY", "Put `-----BEGIN PRIVATE KEY-----` into the file."),
        "# Keys\n\n-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA...\n-----END RSA PRIVATE KEY-----\n",
        f"-----BEGIN CERTIFICATE-----\n{BODY}\n-----END CERTIFICATE-----\nNo PRIVATE KEY here\n",
        f"# Keys\n\n-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n{BODY}\n",
    ],
)
def test_a_page_about_keys_is_a_page(text: str) -> None:
    assert not holds_private_key(text.encode())


@pytest.mark.parametrize(
    "unit", ["-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "x-----BEGIN PRIVATE KEY-----" + " " * 999]
)
def test_looking_takes_time_linear_in_the_text(unit: str) -> None:
    started = time.process_time()
    assert not holds_private_key(("x" + unit * (4_000_000 // len(unit))).encode())
    assert time.process_time() - started < 5


def test_a_reason_says_whether_a_file_was_withheld() -> None:
    reasons = (BY_NAME, f"includes '../.env', which {BY_NAME}", BY_CONTENT, "is not UTF-8", f"'{BY_NAME}' is no file")
    assert [is_withheld(reason) for reason in reasons] == [True, True, True, False, False]
