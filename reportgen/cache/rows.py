"""Store rows of bytes under keys: one SQLite file for each repository whose logs are read.

SQLite keeps processes apart and survives a kill. A row has a digest of itself and of its key, so a damaged
one is not used; a file that SQLite cannot open is removed. Where anything fails, the rows are not there.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from hashlib import blake2b

from reportgen.cache import is_own

# When a file is larger, the rows that were not used for longest are removed.
MAX_BYTES = 256 * 2**20
# When all files are larger, those that were not written for longest are removed.
MAX_ALL_BYTES = 2**30
_SUFFIX = ".sqlite"
_DIGEST_BYTES = 20
_WAIT_SECONDS = 2.0
_TABLE = "CREATE TABLE IF NOT EXISTS row (key BLOB PRIMARY KEY, value BLOB, turn INTEGER) WITHOUT ROWID"
_NEXT_TURN = "SELECT COALESCE(MAX(turn), 0) + 1 FROM row"
_MAX_KEYS = 500  # in one statement


def rows_of(folder: str, root: str) -> "Rows":
    """Return the rows of a repository, by its path, below a cache folder."""
    name = blake2b(os.fsencode(root), digest_size=10).hexdigest()
    return Rows(f"{folder}/rows/{name}{_SUFFIX}")


def all_rows(folder: str) -> "list[Rows]":
    """Return the rows of all repositories below a cache folder."""
    with suppress(OSError):
        names = sorted(os.listdir(f"{folder}/rows"))  # noqa: PTH208
        return [Rows(f"{folder}/rows/{name}") for name in names if name.endswith(_SUFFIX)]
    return []


class Rows:
    """The rows in one file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def load(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the rows under these keys, as far as they are there and whole."""
        try:
            if not is_own(os.stat(self.path)):  # noqa: PTH116
                return {}
        except OSError:
            return {}
        wanted, rows = list(keys), dict[bytes, bytes]()

        def select(database: sqlite3.Connection) -> None:
            for begin in range(0, len(wanted), _MAX_KEYS):
                some = wanted[begin : begin + _MAX_KEYS]
                marks = ",".join("?" * len(some))
                rows.update(database.execute(f"SELECT key, value FROM row WHERE key IN ({marks})", some))

        self._run(select)
        return {key: value[_DIGEST_BYTES:] for key, value in rows.items() if _is_whole(key, value)}

    def store(self, rows: Mapping[bytes, bytes], used: Iterable[bytes] = ()) -> None:
        """Store rows, and note which others were used."""

        def insert(database: sqlite3.Connection) -> None:
            database.execute("BEGIN IMMEDIATE")
            database.execute(_TABLE)
            (turn,) = database.execute(_NEXT_TURN).fetchone()
            database.executemany("UPDATE row SET turn = ? WHERE key = ?", [(turn, key) for key in used])
            values = [(key, _digest(key, value) + value, turn) for key, value in rows.items()]
            database.executemany("INSERT OR REPLACE INTO row VALUES (?, ?, ?)", values)
            _remove_oldest(database, turn)
            database.execute("COMMIT")

        with suppress(OSError):
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120
        self._run(insert)
        self._remove_oldest_files()

    def size(self) -> int:
        """Return the size of the file in bytes."""
        with suppress(OSError):
            return os.stat(self.path).st_size  # noqa: PTH116
        return 0

    def clear(self) -> None:
        """Remove the file."""
        with suppress(OSError):
            os.unlink(self.path)  # noqa: PTH108

    def remove_damaged(self) -> int:
        """Remove the rows that are not whole, and return their number; a damaged file counts as one."""
        damaged: list[tuple[bytes]] = []

        def delete(database: sqlite3.Connection) -> None:
            rows = database.execute("SELECT key, value FROM row")
            damaged.extend((key,) for key, value in rows if not _is_whole(key, value))
            database.executemany("DELETE FROM row WHERE key = ?", damaged)

        self._run(delete)
        return len(damaged) if self.size() else 1

    def _remove_oldest_files(self) -> None:
        """Remove the files of other repositories, the oldest first, until all fit."""
        folder = os.path.dirname(os.path.dirname(self.path))  # noqa: PTH120
        with suppress(OSError):
            files = sorted(all_rows(folder), key=lambda rows: os.stat(rows.path).st_mtime_ns)  # noqa: PTH116
            total = sum(rows.size() for rows in files)
            for rows in files:
                if total > MAX_ALL_BYTES and rows.path != self.path:
                    total -= rows.size()
                    rows.clear()

    def _run(self, action: Callable[[sqlite3.Connection], None]) -> None:
        """Do something with the file; end quietly where SQLite fails, and remove a damaged file."""
        try:
            with closing(sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)) as database:
                action(database)
        except sqlite3.OperationalError:  # locked, full, or not to be written
            return
        except sqlite3.DatabaseError:
            self.clear()


def _remove_oldest(database: sqlite3.Connection, turn: int) -> None:
    """Remove the rows of the earliest turns, but not of this one, until the others fit."""
    sizes = database.execute("SELECT turn, TOTAL(LENGTH(value)) FROM row GROUP BY turn ORDER BY turn DESC")
    total = 0
    for of_turn, size in sizes.fetchall():
        total += size
        if total > MAX_BYTES:
            database.execute("DELETE FROM row WHERE turn <= ? AND turn < ?", (of_turn, turn))
            return


def _is_whole(key: object, value: object) -> bool:
    if not isinstance(key, bytes) or not isinstance(value, bytes):
        return False
    return value[:_DIGEST_BYTES] == _digest(key, value[_DIGEST_BYTES:])


def _digest(key: bytes, value: bytes) -> bytes:
    return blake2b(key + value, digest_size=_DIGEST_BYTES).digest()
