"""The mistake of an author in a text."""


class PlaceholderError(Exception):
    """A mistake in an author's text; `template` adds the file.

    line  in the text, 0 if only the traceback knows
    """

    def __init__(self, fact: str, remedy: str, *, line: int = 0) -> None:
        super().__init__(f"{fact}; {remedy}")
        self.fact, self.remedy, self.line = fact, remedy, line
