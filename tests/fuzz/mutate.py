"""Damage an input in the ways real logs are damaged, and in random ways.

A mutation is a function of a random generator, the content of a file, and the content of another file to splice
from. `mutated` applies several of them in sequence. The same generator and inputs give the same result.
"""

import gzip
import re
from collections.abc import Callable, Sequence
from random import Random

from tests.fuzz.inputs import Input

Mutation = Callable[[Random, bytes, bytes], bytes]

# A result is cut here, so that mutations of mutations do not grow without an end.
MOST = 400_000
_LINE = 250_000
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")
_KEY = re.compile(rb'"[^"\n]{1,40}"\s*:\s*[^,{}\[\]\n]{1,60}')
_WORD = re.compile(rb"[A-Za-z_]{3,}")

_NUMBERS = (
    b"0", b"-0", b"-1", b"1", b"00012", b"1.", b".5", b"1e3", b"1e308", b"1.7e308", b"-1e300", b"1e-320",
    b"1e999", b"-1e999", b"1e-999", b"1e-308",
    b"NaN", b"nan", b"inf", b"-inf", b"Infinity", b"null", b"true", b'""', b"[]", b"{}", b"", b" ", b"1,000",
    b"1,00,0", b"1_000", b"0x10", b"1e5e5", b"1.2.3", b"--1", b"+1", b"2147483648", b"4294967296",
    b"9007199254740993", b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"999999999999999",
    b"9" * 19, b"9" * 40, b"9" * 400, b"0." + b"0" * 399 + b"1", b"9" * 5000, "٣".encode(), "²".encode(),
    "１２".encode(), b"1\xc2\xa0000", b"99:99:99", b"0000-00-00 00:00:00", b"9999-12-31 23:59:59.999999",
    b"2024-02-30 10:00:00", b"1969-12-31 23:59:59", b"23:59:60",
)  # fmt: skip
_TOKENS = (
    *_NUMBERS, b"\n", b"\r", b"\r\n", b"\0", b"\x0b", b"\x0c", b"\x1b[31m", b"\x1b[", b"\xff\xfe", b"\xef\xbb\xbf", b"\x80",
    b"\xed\xa0\x80", b"\\ud800", b'"\\ud800"', b"\\u0000", b"\xe2\x80\xa8", b"\xc2\x85", b"\t", b",", b";", b"|", b":", b"=",
    b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b"[[", b"(", b")", b"#", b"%", b"%s", b"{}", b"{{", b"$", b"`", b"<",
    b"..", b"../../etc/passwd", b"/", b"step", b"phase", b"metric", b"repeat", b"Traceback (most recent call last):\n",
    b"CUDA out of memory", b"Killed\n", b"#clock,9223372036854775807,0\n", b"#break,a,1,9,8\n", b"step,span\n",
)  # fmt: skip


def mutated(random: Random, one: Input, others: Sequence[Input]) -> Input:
    """Return an input with damage in one of its files."""
    path = random.choice(list(one.files))
    content = one.files[path]
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5))):
        # What fits together by chance is what belongs to one format.
        alike = [other for other in others if other.format == one.format]
        other = random.choice(alike if random.random() < 0.7 else others)
        found = random.choices(_MUTATIONS, _WEIGHTS)[0]
        content = found(random, content, random.choice(list(other.files.values())))[:MOST]
    return Input(one.name, one.format, {**one.files, path: content})


def _place(random: Random, content: bytes, longest: int = 60) -> tuple[int, int]:
    begin = random.randint(0, len(content))
    return begin, min(begin + random.randint(0, longest), len(content))


def _flip(random: Random, content: bytes, other: bytes) -> bytes:
    found = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 8)) if found else 0):
        found[random.randrange(len(found))] ^= 1 << random.randrange(8)
    return bytes(found)


def _random_bytes(random: Random, content: bytes, other: bytes) -> bytes:
    begin, end = _place(random, content, 10)
    return content[:begin] + random.randbytes(random.choice((1, 4, 300))) + content[end:]


def _truncate(random: Random, content: bytes, other: bytes) -> bytes:
    at = random.randint(0, len(content))
    return content[:at] if random.random() < 0.7 else content[at:]


def _cut(random: Random, content: bytes, other: bytes) -> bytes:
    begin, end = _place(random, content)
    return content[:begin] + content[end:]


def _repeat(random: Random, content: bytes, other: bytes) -> bytes:
    begin, end = _place(random, content, 200)
    return content[:begin] + content[begin:end] * random.choice((2, 3, 20)) + content[end:]


def _splice(random: Random, content: bytes, other: bytes) -> bytes:
    return content[: random.randint(0, len(content))] + other[random.randint(0, len(other)) :]


def _insert_of_other(random: Random, content: bytes, other: bytes) -> bytes:
    begin, end = _place(random, other, 300)
    at = random.randint(0, len(content))
    return content[:at] + other[begin:end] + content[at:]


def _insert(random: Random, content: bytes, other: bytes) -> bytes:
    begin, end = _place(random, content, 3)
    return content[:begin] + random.choice(_TOKENS) + content[end:]


def _replace_some(
    random: Random, content: bytes, pattern: re.Pattern[bytes], new: Callable[[], bytes]
) -> bytes:
    found = list(pattern.finditer(content))
    if not found:
        return content
    # Replace one match, or every occurrence of its text.
    chosen = random.choice(found)
    if random.random() < 0.2:
        return content.replace(chosen[0], new())
    return content[: chosen.start()] + new() + content[chosen.end() :]


def _number(random: Random, content: bytes, other: bytes) -> bytes:
    return _replace_some(random, content, _NUMBER, lambda: random.choice(_NUMBERS))


def _near_number(random: Random, content: bytes, other: bytes) -> bytes:
    number = b"%d" % random.choice(
        (random.randint(0, 30), random.randint(0, 10**6), 10 ** random.randint(0, 18))
    )
    return _replace_some(random, content, _NUMBER, lambda: number)


def _word(random: Random, content: bytes, other: bytes) -> bytes:
    words = _WORD.findall(other) or [b"x"]
    return _replace_some(random, content, _WORD, lambda: random.choice(words))


def _lines(random: Random, content: bytes, other: bytes) -> bytes:
    """Repeat, drop, swap, sort or reverse whole lines, or take some of another file."""
    lines = content.splitlines(keepends=True) or [b""]
    at = random.randrange(len(lines))
    match random.randrange(6):
        case 0:
            lines[at:at] = [lines[at]] * random.choice((1, 2, 30))
        case 1:
            del lines[at]
        case 2:
            random.shuffle(lines)
        case 3:
            lines.reverse()
        case 4:
            lines = lines * random.choice((2, 3, 10))
        case _:
            lines[at:at] = random.sample(there := other.splitlines(keepends=True), min(len(there), 3))
    return b"".join(lines)


def _line_ends(random: Random, content: bytes, other: bytes) -> bytes:
    return content.replace(
        b"\n", random.choice((b"\r", b"\r\n", b"\n\r", b"", b"\n\n", b"\0\n", b"\x0b", b"\xe2\x80\xa8"))
    )


def _encoding(random: Random, content: bytes, other: bytes) -> bytes:
    text = content.decode("utf-8", "replace")
    name = random.choice(("utf-16", "utf-16-be", "utf-32", "utf-8-sig", "utf-7", "gzip"))
    return gzip.compress(content, mtime=0) if name == "gzip" else text.encode(name)


def _duplicate_key(random: Random, content: bytes, other: bytes) -> bytes:
    found = [*_KEY.finditer(content), *_KEY.finditer(other)]
    if not found:
        return content
    pair = random.choice(found)[0]
    at = random.choice([place.start() for place in _KEY.finditer(content)] or [0])
    return content[:at] + pair + b", " + content[at:]


def _nest(random: Random, content: bytes, other: bytes) -> bytes:
    depth = random.choice((2, 50, 990, 20_000))
    left, right = random.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")")))
    closing = right * depth if random.random() < 0.7 else b""
    return _replace_some(random, content, _NUMBER, lambda: left * depth + b"1" + closing)


def _long_line(random: Random, content: bytes, other: bytes) -> bytes:
    begin, end = _place(random, content, 200)
    unit = content[begin:end] or b"x"
    return content[:begin] + unit * (_LINE // len(unit)) + content[end:]


def _wide_number(random: Random, content: bytes, other: bytes) -> bytes:
    """Make one number of 100 kB among many lines: what is kept as wide as its widest cell grows with both."""
    lines = content.splitlines(keepends=True) or [b""]
    line = random.choice(lines)
    wide = _replace_some(random, line, _NUMBER, lambda: b"9" * 100_000)
    head = b"".join(lines[: random.randint(0, 3)])
    return head + line * (150_000 // max(len(line), 1)) + wide


def _long_file(random: Random, content: bytes, other: bytes) -> bytes:
    return content * (_LINE // max(len(content), 1))


_MUTATIONS: tuple[Mutation, ...] = (
    _number, _near_number, _insert, _lines, _insert_of_other, _word, _flip, _cut, _repeat, _splice, _truncate,
    _duplicate_key, _random_bytes, _line_ends, _encoding, _nest, _long_line, _long_file, _wide_number,
)  # fmt: skip
_WEIGHTS = (30, 20, 15, 15, 8, 8, 6, 6, 6, 6, 4, 4, 3, 3, 0.5, 0.7, 0.25, 0.25, 0.25)
