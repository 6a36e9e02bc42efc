"""Names of columns that hold secrets: API keys, passwords, access tokens."""

from reportgen.core.lazy_pattern import lazy_pattern

_WORDS = lazy_pattern(r"[^a-z0-9]+")
_SECRETS = frozenset(
    ("secret", "secrets", "password", "passwords", "passwd", "apikey", "apikeys", "credential", "credentials")
)
_KEYS = frozenset(("api", "access", "private", "secret"))
# Tokens of a text: `pad_token`, `time_to_first_token`.
_OF_TEXTS = frozenset(
    ("pad", "eos", "bos", "unk", "mask", "sep", "cls", "stop", "drop", "first", "per", "last")
)


def may_be_secret(name: str, value: object = "") -> bool:
    """Return whether a column of this name may hold a secret; `value` is what it holds: no number is one.

    `hf_token` may, and `tokenizer`, `max_tokens` and `pad_token` may not.
    """
    words = _WORDS.split(name.lower())
    if isinstance(value, (int, float)):
        return False
    before = words[-2] if len(words) > 1 else ""
    return (
        not _SECRETS.isdisjoint(words)
        or (words[-1] in ("key", "keys") and before in _KEYS)
        or (words[-1] == "token" and before not in _OF_TEXTS)
    )
