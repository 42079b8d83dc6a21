"""When two texts that people wrote are one: display names and ids of collections (`rules.md` 4)."""

import unicodedata


def folded(text: str) -> str:
    """Return what is equal for texts that differ in compatible characters and in case alone: NFKC, case-folded."""
    return (
        text.lower()
        if text.isascii()
        else unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    )
