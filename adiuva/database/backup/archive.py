"""The file of a backup: written under another name until it is whole, and read only after it was checked.

The dump comes first and its size is known last, so its header is written at the end, into the room left for it.
"""

import fcntl
import hashlib
import json
import os
import tarfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from adiuva.errors import BackupError

FORMAT: Final = 1
_DUMP, _MANIFEST, _SUMS = "database.dump", "manifest.json", "SHA256SUMS"
_PIECE: Final = 1024 * 1024
_MAX_TEXT_BYTES: Final = 16 * 1024 * 1024
"""The most that is read of the manifest and of the sums."""
Pieces: TypeAlias = Iterator[bytes]


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What a backup holds, as of one moment.

    ``tables`` are numbers of rows, ``master_keys`` the fingerprints of the keys that open it, ``migrations`` the
    applied ones as ``app.name``.
    """

    made_at: str
    postgresql: str
    tables: Mapping[str, int]
    migrations: Sequence[str]
    master_keys: Sequence[str]
    format: int = FORMAT

    @property
    def rows(self) -> int:
        return sum(self.tables.values())


class Draft:
    """A backup that is being written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._sums: dict[str, str] = {}

    def write_dump(self, pieces: Pieces) -> int:
        """Write the dump, and return its size in bytes."""
        header_at = self._file.tell()
        self._file.write(bytes(tarfile.BLOCKSIZE))
        size, digest = 0, hashlib.sha256()
        for piece in pieces:
            digest.update(piece)
            size += self._file.write(piece)
        self._pad(size)
        end = self._file.tell()
        self._file.seek(header_at)
        self._file.write(_header(_DUMP, size))
        self._file.seek(end)
        self._sums[_DUMP] = digest.hexdigest()
        return size

    def finish(self, manifest: Manifest) -> None:
        """Write the rest, and wait until all is on the disk."""
        self._write_member(_MANIFEST, json.dumps(asdict(manifest), indent=2).encode())
        sums = "".join(f"{digest}  {name}\n" for name, digest in self._sums.items())
        self._write_member(_SUMS, sums.encode())
        self._file.write(bytes(2 * tarfile.BLOCKSIZE))
        self._file.flush()
        os.fsync(self._file.fileno())

    def _write_member(self, name: str, content: bytes) -> None:
        self._file.write(_header(name, len(content)))
        self._file.write(content)
        self._pad(len(content))
        self._sums[name] = hashlib.sha256(content).hexdigest()

    def _pad(self, size: int) -> None:
        self._file.write(bytes(-size % tarfile.BLOCKSIZE))


@contextmanager
def drafted(path: Path) -> Iterator[Draft]:
    """A draft of the backup ``path``, which has that name only after the block, if the draft is whole.

    A kill leaves ``.NAME.partial`` beside it, which the next backup of this name overwrites. Raises ``BackupError``,
    also when a file with that name appears meanwhile: nothing is overwritten.
    """
    if os.path.lexists(path):
        raise _exists(path)
    partial = path.with_name(f".{path.name}.partial")
    with _own(partial) as file:
        try:
            yield Draft(file)
            check(partial)
            _name(partial, path)
        except BaseException:
            with suppress(FileNotFoundError):
                partial.unlink()
            raise
    _sync_folder(path.parent)


@contextmanager
def opened(path: Path) -> Iterator[tuple[Manifest, Pieces]]:
    """The manifest of the backup ``path`` and its dump, after all of it was checked. Raises ``BackupError``."""
    with _reading(path) as file:
        manifest = _checked(path, file)
        with tarfile.open(fileobj=file, mode="r:") as archive:
            yield manifest, _pieces(_member(path, archive, _DUMP))


def check(path: Path) -> Manifest:
    """Read all of the backup ``path``, and return its manifest. Raises ``BackupError`` unless it is complete."""
    with _reading(path) as file:
        return _checked(path, file)


def _header(name: str, size: int) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = size, 0o600, int(time.time())
    return member.tobuf(tarfile.GNU_FORMAT)  # one block, for any size


@contextmanager
def _own(partial: Path) -> Iterator[IO[bytes]]:
    with suppress(FileNotFoundError):
        if partial.lstat().st_nlink > 1:  # a kill came just after the backup had got its name
            partial.unlink()
    try:
        descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise BackupError(f"{partial} cannot be written: {error.strerror}.") from None
    with os.fdopen(descriptor, "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupError(f"Another process is writing {partial}: wait for it.") from None
        if not _is_still(partial, descriptor):  # another process has just finished it, and it has its name
            raise BackupError(f"Another process has just ended writing {partial}: try again.")
        os.fchmod(descriptor, 0o600)
        file.truncate(0)
        try:
            yield file
        except OSError as error:  # the disk is full, above all
            raise BackupError(f"{partial} cannot be written: {error.strerror}.") from None


def _is_still(partial: Path, descriptor: int) -> bool:
    """Whether ``partial`` is the name of this file."""
    try:
        return os.path.samestat(partial.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _name(partial: Path, path: Path) -> None:
    """Give the whole draft its name. Raises ``BackupError`` if another file has it."""
    try:
        os.link(partial, path)
    except FileExistsError:
        raise _exists(path) from None
    except OSError:  # a file system without hard links
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            raise _exists(path) from None
        partial.rename(path)
    else:
        partial.unlink(missing_ok=True)


def _exists(path: Path) -> BackupError:
    return BackupError(f"{path} exists already: choose another name, or remove it.")


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _reading(path: Path) -> Iterator[IO[bytes]]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise BackupError(f"{path} cannot be read: {error.strerror}.") from None
    with file:
        yield file


def _checked(path: Path, file: IO[bytes]) -> Manifest:
    try:
        with tarfile.open(fileobj=file, mode="r:") as archive:
            sums = _sums_in(_text_of(_member(path, archive, _SUMS)))
            for name in (_MANIFEST, _DUMP):
                digest = hashlib.sha256()
                for piece in _pieces(_member(path, archive, name)):
                    digest.update(piece)
                if digest.hexdigest() != sums.get(name):
                    raise BackupError(f"{path} is damaged: {name} is not what was written. Use another backup.")
            manifest = json.loads(_text_of(_member(path, archive, _MANIFEST)))
    except (tarfile.TarError, EOFError, OSError, ValueError):
        raise BackupError(f"{path} is not a complete backup: it is damaged or was cut off. Use another one.") from None
    file.seek(0)
    return _manifest_of(path, manifest)


def _manifest_of(path: Path, said: dict[str, Any]) -> Manifest:
    if said.get("format") != FORMAT:
        raise BackupError(f"{path} was written by a newer release: update the server before you restore it.")
    return Manifest(**{each.name: said[each.name] for each in fields(Manifest)})


def _member(path: Path, archive: tarfile.TarFile, name: str) -> IO[bytes]:
    try:
        found = archive.extractfile(name)
    except KeyError:
        found = None
    if found is None:
        raise BackupError(f"{path} is not a complete backup: it has no {name}. It was cut off, or is no backup.")
    return found


def _sums_in(text: bytes) -> dict[str, str]:
    lines = (line.split("  ", 1) for line in text.decode().splitlines())
    return {name: digest for digest, name in lines}


def _text_of(member: IO[bytes]) -> bytes:
    return member.read(_MAX_TEXT_BYTES)


def _pieces(member: IO[bytes]) -> Pieces:
    """All of ``member``. Raises ``EOFError`` if the file ends before it."""
    while piece := member.read(_PIECE):
        yield piece
