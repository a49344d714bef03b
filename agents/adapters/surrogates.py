"""Halves of characters: Python's strings can hold them, JSON can write them, UTF-8 cannot."""


def is_whole_text(text: str) -> bool:
    """Whether ``text`` can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def mended(text: str) -> str:
    """``text`` with halves that stand together joined, and U+FFFD for a half that stands alone."""
    if text.isascii() or is_whole_text(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
