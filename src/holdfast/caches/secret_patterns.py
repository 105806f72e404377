"""Which files look like secrets: one table of names and folders, and the header of a private key. Pure.

A row matches a name in lower case, as a shell pattern with at most one `*`. What matches is withheld from caches.
"""

from __future__ import annotations

from holdfast.core.unicode_text import lower_case

# Why a file is withheld, in words that follow its name.
BY_NAME = "looks like a secret by its name"
BY_CONTENT = "looks like a secret: it holds a private key"

NAMES = (
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdbx"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"),
    *(".env*", "*.env"),
    *(".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd"),
    *(".git", ".git-credentials"),
    *(".dockercfg", ".dockerconfigjson", "kubeconfig", "*.kubeconfig", ".vault-token", ".boto", ".s3cfg"),
    *("credentials", "credentials.json", "credentials.toml", "credentials.tfrc.json"),
    *("client_secret*.json", "application_default_credentials.json", "service-account*.json"),
    *("*.tfstate", "*.tfvars"),
)
# Everything in these folders, however deep; a path of several names has to match as a whole.
FOLDERS = (".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/gh", ".git")
# A key of ssh has such a name and no extension: `id_work` is one, `id_tokens.md` is a page.
_KEY_NAME = "id_"
# What projects commit to show which variables there are.
_EXAMPLES = (".example", ".sample", ".template", ".dist")

_EXACT = frozenset([name for name in NAMES if "*" not in name])
_AFFIXES = tuple([(start, end) for start, star, end in [name.partition("*") for name in NAMES] if star])
_PLACES = tuple([f"/{folder}/" for folder in FOLDERS])

_BEGIN, _KIND, _DASHES = b"-----BEGIN ", b"PRIVATE KEY", b"-----"
# The kind of key and the dashes that end its line.
_LONGEST_KIND = 64
# An example in a text is cut short; the first line of a real key has 64 letters, the shortest key one line.
_SHORTEST_BODY, _LOOKED_AT = 40, 1024
_IN_BODY = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
_ONLY_BODY = bytes([byte if byte in _IN_BODY else 32 for byte in range(256)])


def is_secret_path(path: str) -> bool:
    """Whether a path, with forward slashes, is by its name or its folders that of a secret."""
    lowered = lower_case(path)
    folders, _, name = lowered.rpartition("/")
    if folders and any(place in f"/{folders}/" for place in _PLACES):
        return True
    if name.endswith(_EXAMPLES):
        return False
    if name in _EXACT or (name.startswith(_KEY_NAME) and "." not in name):
        return True
    return any(
        name.startswith(start) and name.endswith(end) and len(name) >= len(start) + len(end) for start, end in _AFFIXES
    )


def holds_private_key(data: bytes) -> bool:
    """Whether a file is a private key in PEM, or has one in it; a header whose key is cut short is an example."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", "replace").encode("utf-8", "replace")
    if _KIND not in data:
        return False
    begins = data[:_LOOKED_AT].lstrip(b" \t\r\n\xef\xbb\xbf").startswith(_BEGIN)
    at = data.find(_BEGIN)
    while at >= 0:
        start = at + len(_BEGIN)
        kind, dashes, _ = data[start : start + _LONGEST_KIND].partition(_DASHES)
        if dashes and _KIND in kind and (begins or _has_body(data, start + len(kind) + len(dashes))):
            return True
        begins = False
        at = data.find(_BEGIN, start)
    return False


def _has_body(data: bytes, start: int) -> bool:
    """Whether a long run of base64 follows a header, before the line that ends the key."""
    following = data[start : start + _LOOKED_AT].partition(_DASHES)[0].replace(rb"\n", b"\n")  # as JSON has line ends
    return any(len(run) >= _SHORTEST_BODY for run in following.translate(_ONLY_BODY).split(b" "))


def is_withheld(reason: str) -> bool:
    """Whether a reason for not reading a file is that it looks like a secret."""
    return reason.endswith((BY_NAME, BY_CONTENT))
