"""The keyed rotation that hides vectors: pure, values in, values out.

An embedding gives much of its text away, so a vector is never stored as a model made it. The veil is an orthogonal
transform drawn from the user's key: three rounds of sign flips, a permutation of all axes and an orthogonal mix
(Walsh-Hadamard, in blocks). Lengths, dot products and so rankings stay what they were; without the key the numbers say
nothing, and two users' vectors share no space. It resists a stolen database. It does not resist whoever also holds many
of the same user's texts beside their veiled vectors: a rotation is linear.

What it is drawn from is HKDF of the key and the ChaCha20 stream (RFC 5869, RFC 8439), whose bytes are the same
everywhere and for good, which no library promises of its random generator.
"""

from typing import Final, TypeAlias

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from numpy.typing import NDArray

from accounts.keys import UserKey, subkey
from memory.embedders.base import DIMENSIONS

Vectors: TypeAlias = NDArray[np.float32]
"""One vector (``DIMENSIONS``,) or many (n, ``DIMENSIONS``)."""

_ROUNDS: Final = 3
_LEFT, _RIGHT = 32, 16
_BLOCKS: Final = DIMENSIONS // (_LEFT * _RIGHT)
_PURPOSE: Final = "memory veil"


def _hadamard(order: int) -> NDArray[np.float32]:
    """The symmetric Walsh-Hadamard matrix of ``order`` (a power of two), scaled to be orthogonal."""
    matrix = np.ones((1, 1), dtype=np.float32)
    while len(matrix) < order:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    scaled: NDArray[np.float32] = (matrix / np.sqrt(order)).astype(np.float32)
    return scaled


_ROWS_MIX, _COLUMNS_MIX = _hadamard(_LEFT), _hadamard(_RIGHT)


class Veil:
    """The rotation of one key. Making one takes about half a millisecond; it holds what it was drawn from."""

    def __init__(self, key: UserKey) -> None:
        stream = Cipher(ChaCha20(subkey(key, _PURPOSE), bytes(16)), mode=None).encryptor()
        self._signs: list[NDArray[np.float32]] = []
        self._orders: list[NDArray[np.intp]] = []
        for _ in range(_ROUNDS):
            bits = np.unpackbits(np.frombuffer(stream.update(bytes(DIMENSIONS // 8)), dtype=np.uint8))
            self._signs.append(1 - 2 * bits.astype(np.float32))
            draws = np.frombuffer(stream.update(bytes(DIMENSIONS * 8)), dtype="<u8")
            self._orders.append(np.argsort(draws, kind="stable"))

    def apply(self, vectors: Vectors) -> Vectors:
        """The vectors as they may be stored and compared."""
        turned = vectors.astype(np.float32)
        for signs, order in zip(self._signs, self._orders, strict=True):
            turned = _mixed((turned * signs)[..., order])
        return turned

    def invert(self, vectors: Vectors) -> Vectors:
        """What ``apply`` was given."""
        turned = vectors.astype(np.float32)
        for signs, order in zip(reversed(self._signs), reversed(self._orders), strict=True):
            unmixed = _mixed(turned)
            turned = np.empty_like(unmixed)
            turned[..., order] = unmixed
            turned *= signs
        return turned


def _mixed(vectors: Vectors) -> Vectors:
    """Every axis into all others of its block. Its own inverse: the two matrices are symmetric and orthogonal."""
    blocks = vectors.reshape(*vectors.shape[:-1], _BLOCKS, _LEFT, _RIGHT)
    mixed: NDArray[np.float32] = np.matmul(np.matmul(_ROWS_MIX, blocks), _COLUMNS_MIX).reshape(vectors.shape)
    return mixed
