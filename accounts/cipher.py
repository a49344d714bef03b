"""Encryption with users' keys, and wrapping those keys with master keys. Pure: no Django, no asyncio, no IO.

A master key belongs to the installation and wraps the users' keys; a user's key encrypts that user's texts. Both are
Fernet keys (AES-128-CBC with HMAC-SHA256, https://github.com/fernet/spec). Each plaintext begins with a header that
says where it belongs, which decryption checks, so that nothing can be moved around in a stolen database:

    wrapped key   ["user key", <user id>, <version>]  newline  the user's key
    lookup key    ["lookup key"]                      newline  the installation's lookup key
    text          [<table>, <column>, <row id>]       newline  the text

A text is stored as ``v<version>:<Fernet token>``, which names the key that made it. The lookup key finds rows by texts
that they hold only encrypted, such as a user by the address.
"""

import base64
import hashlib
import hmac
import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from accounts.errors import CorruptedKey, CorruptedText, KeyConfigurationError, MissingMasterKey, WrongKeyVersion

_VERSION = re.compile(r"v([1-9][0-9]{0,8})", re.ASCII)
# Strict base64, as an encoder writes it: no characters that a decoder would skip, and zero padding bits.
_BASE64 = re.compile(r"[A-Za-z0-9_-]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?")
_KEY_BYTES = 32
_MAX_WRAPPED = 300
"""More characters than a wrapped user key has: a bound for what is tried."""
_LOOKUP_HEADER = b'["lookup key"]\n'


@dataclass(frozen=True, kw_only=True, slots=True)
class UserKey:
    """A user's key, unwrapped: ``secret`` is in Fernet's base64 form. Versions count from 1."""

    version: int
    secret: bytes = field(repr=False)
    fernet: Fernet = field(init=False, repr=False, compare=False)
    """Created once, which takes a third of the time of using it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "fernet", Fernet(self.secret))


@dataclass(frozen=True, kw_only=True, slots=True)
class WrappedKey:
    """A key as it is stored, and the fingerprint of the master key that unwraps it."""

    token: str = field(repr=False)
    master_key_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """The place of a ciphertext. A row's id is known before the row is inserted."""

    table: str
    column: str
    row_id: UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class MasterKey:
    """A master key and its fingerprint, which is public."""

    id: str
    secret: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class MasterKeys:
    """The master keys of the installation, newest first: the first one wraps, all of them unwrap."""

    keys: tuple[MasterKey, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads comma-separated Fernet keys. Raises ``KeyConfigurationError``."""
        if not text.strip():
            raise KeyConfigurationError("There is no master key: set ADIUVA_MASTER_KEYS to a Fernet key.")
        items = [item.strip() for item in text.split(",")]
        for position, item in enumerate(items, start=1):
            name = f"Master key {position} of {len(items)} in ADIUVA_MASTER_KEYS"
            if not _is_fernet_key(item):
                raise KeyConfigurationError(f"{name} is not a Fernet key ({_KEY_BYTES} bytes in URL-safe base64).")
            if item in items[: position - 1]:
                raise KeyConfigurationError(f"{name} repeats master key {items.index(item) + 1}.")
        secrets = [item.encode() for item in items]
        return cls(tuple(MasterKey(id=fingerprint(secret), secret=secret) for secret in secrets))

    @property
    def newest(self) -> MasterKey:
        return self.keys[0]

    def wrap(self, user_key: UserKey, *, user_id: UUID) -> WrappedKey:
        """The key as it may be stored, bound to this user and version, wrapped with the newest master key."""
        return self._wrapped(_key_header(user_id, user_key.version), user_key.secret)

    def unwrap(self, wrapped: WrappedKey, *, user_id: UUID, version: int) -> UserKey:
        """Raises ``MissingMasterKey``, or ``CorruptedKey`` for a damaged key or one of another user or version."""
        return UserKey(version=version, secret=self._unwrapped(_key_header(user_id, version), wrapped))

    def opens_key_of(self, user_id: UUID, token: bytes) -> bool:
        """Whether this token is a key of that user, of any version, wrapped by one of these keys."""
        header = _key_header(user_id, 0).removesuffix(b"0]\n")
        if len(token) > _MAX_WRAPPED:
            return False
        opened = (_opened(Fernet(key.secret), token.decode("ascii")) for key in self.keys)
        return any(plain is not None and plain.startswith(header) for plain in opened)

    def wrap_lookup_key(self, secret: bytes) -> WrappedKey:
        """The lookup key as it may be stored, wrapped with the newest master key."""
        return self._wrapped(_LOOKUP_HEADER, secret)

    def unwrap_lookup_key(self, wrapped: WrappedKey) -> bytes:
        """Raises ``MissingMasterKey`` or ``CorruptedKey``."""
        return self._unwrapped(_LOOKUP_HEADER, wrapped)

    def _wrapped(self, header: bytes, secret: bytes) -> WrappedKey:
        sealed = Fernet(self.newest.secret).encrypt(header + secret)
        return WrappedKey(token=sealed.decode(), master_key_id=self.newest.id)

    def _unwrapped(self, header: bytes, wrapped: WrappedKey) -> bytes:
        master = next((key for key in self.keys if key.id == wrapped.master_key_id), None)
        if master is None:
            raise MissingMasterKey(wrapped.master_key_id)
        opened = _opened(Fernet(master.secret), wrapped.token)
        if opened is None or not opened.startswith(header):
            raise CorruptedKey
        return opened.removeprefix(header)


def fingerprint(secret: bytes) -> str:
    """The public name of a master key: 16 hexadecimal digits that do not reveal it."""
    return hashlib.sha256(b"adiuva master key\n" + base64.urlsafe_b64decode(secret)).hexdigest()[:16]


def new_user_key(*, version: int = 1) -> UserKey:
    return UserKey(version=version, secret=Fernet.generate_key())


def new_lookup_key() -> bytes:
    return Fernet.generate_key()


def lookup_digest(secret: bytes, purpose: str, text: str) -> bytes:
    """Equal for equal texts of one purpose, and meaningless without the lookup key (HMAC-SHA256, 32 bytes)."""
    return hmac.digest(secret, f"{purpose}\n{text}".encode("utf-8", "surrogatepass"), "sha256")


def encrypt(key: UserKey, place: Place, plaintext: str) -> str:
    """The text as it may be stored at this place."""
    # Texts may hold half a surrogate pair (JSON allows it), which must be preserved.
    sealed = key.fernet.encrypt(_place_header(place) + plaintext.encode("utf-8", "surrogatepass"))
    return f"v{key.version}:{sealed.decode()}"


def decrypt(key: UserKey, place: Place, token: str) -> str:
    """The plaintext. Raises ``WrongKeyVersion`` or ``CorruptedText``."""
    opened, begins_at = _unsealed(key, place, token)
    return opened[begins_at:].decode("utf-8", "surrogatepass")


def renew(old: UserKey, new: UserKey, place: Place, token: str) -> tuple[bytes, str]:
    """The text (in UTF-8, with half surrogate pairs) that ``old`` encrypted, and its ciphertext with ``new``.

    The same as ``decrypt`` and then ``encrypt``, in less time. Raises ``WrongKeyVersion`` or ``CorruptedText``.
    """
    opened, begins_at = _unsealed(old, place, token)
    return opened[begins_at:], f"v{new.version}:{new.fernet.encrypt(opened).decode()}"


def subkey(key: UserKey, purpose: str, *, length: int = 32) -> bytes:
    """Key material for one purpose, which reveals neither the key nor that of other purposes (HKDF, RFC 5869)."""
    return HKDF(SHA256(), length, salt=None, info=f"adiuva {purpose}".encode()).derive(key.secret)


def keyed_index(key: UserKey, purpose: str, text: str) -> str:
    """Equal for equal texts, and meaningless without the key (HMAC-SHA256, hex)."""
    return hmac.digest(subkey(key, purpose), text.encode("utf-8", "surrogatepass"), "sha256").hex()


def key_version(token: str) -> int:
    """The version of the user's key that made this ciphertext. Raises ``CorruptedText``."""
    return _parted(token)[0]


def _unsealed(key: UserKey, place: Place, token: str) -> tuple[bytes, int]:
    """The header and the text, and where the text begins."""
    version, sealed = _parted(token)
    if version != key.version:
        raise WrongKeyVersion(version)
    opened = _opened(key.fernet, sealed)
    header = _place_header(place)
    if opened is None or not opened.startswith(header):
        raise CorruptedText
    return opened, len(header)


def _parted(token: str) -> tuple[int, str]:
    label, _, sealed = token.partition(":")
    if not sealed:
        raise CorruptedText
    return _version(label), sealed


@lru_cache(maxsize=64)
def _version(label: str) -> int:
    found = _VERSION.fullmatch(label)
    if found is None:
        raise CorruptedText
    return int(found[1])


def _opened(fernet: Fernet, token: str) -> bytes | None:
    if len(token) % 4 or _BASE64.fullmatch(token) is None:
        return None
    try:
        return fernet.decrypt(token)
    except InvalidToken:
        return None


# JSON escapes line breaks in strings, so the first one ends the header, and no header is a prefix of another.
def _key_header(user_id: UUID, version: int) -> bytes:
    return json.dumps(["user key", str(user_id), version]).encode() + b"\n"


def _place_header(place: Place) -> bytes:
    return f'{_column_header(place.table, place.column)}{place.row_id}"]\n'.encode()


@lru_cache(maxsize=64)
def _column_header(table: str, column: str) -> str:
    """As JSON, up to the row's id."""
    return json.dumps([table, column, ""]).removesuffix('"]')


def _is_fernet_key(text: str) -> bool:
    try:
        raw = base64.urlsafe_b64decode(text)
    except ValueError:
        return False
    # The decoder skips characters that are not base64; encoding the bytes again shows whether it did.
    return len(raw) == _KEY_BYTES and base64.urlsafe_b64encode(raw).decode() == text
