"""Shrink a failing input: remove files, then pieces, while it fails in the same way."""

from collections.abc import Callable, Mapping

Files = Mapping[str, bytes]


def shrunk(files: Files, fails: Callable[[Files], bool], tries: int = 2000) -> Files:
    """Return the files with as much left out as can be; `fails` is asked so many times at most.

    Greedy: pieces of half the file first, then of half of that, down to single bytes; from the end, because
    what comes first is usually needed.
    """
    left = [tries]

    def still(candidate: Files) -> bool:
        left[0] -= 1
        return left[0] >= 0 and fails(candidate)

    for path in sorted(files):
        without = {name: content for name, content in files.items() if name != path}
        if without and still(without):
            files = without
    for path in sorted(files):
        size = len(files[path])
        while size >= 1 and left[0] > 0:
            files = _pieces_left_out(files, path, size, still)
            size //= 2
    return files


def _pieces_left_out(files: Files, path: str, size: int, still: Callable[[Files], bool]) -> Files:
    end = len(files[path])
    while end > 0:
        begin = max(end - size, 0)
        smaller = {**files, path: files[path][:begin] + files[path][end:]}
        if still(smaller):
            files = smaller
        end = begin
    return files
