"""A progress bar on standard error."""

import sys
import time


class Progress:
    """Count finished pieces of work: one line, redrawn in place on a terminal; elsewhere a line every tenth part.

    Parameters
    ----------
    total : int
        Pieces of work.
    label : str
        What is being done.
    enabled : bool, default=True
        Whether to print anything.

    Examples
    --------
    >>> from pytrees._progress import Progress
    >>> with Progress(2, "trees", enabled=False) as progress:
    ...     progress.advance()
    """

    _WIDTH = 30
    _SECONDS_BETWEEN_DRAWS = 0.1

    def __init__(self, total, label, enabled=True):
        self.total = total
        self.label = label
        self.enabled = enabled and total > 0
        self.done = 0
        self._stream = sys.stderr
        self._in_place = self._stream.isatty()
        self._started = time.monotonic()
        self._drawn_at = -1.0
        self._drawn_tenth = 0

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.enabled and self._in_place:
            self._stream.write("\n")
            self._stream.flush()

    def advance(self):
        """Count one piece of work as done."""
        self.done += 1
        if not self.enabled:
            return
        now = time.monotonic()
        last = self.done == self.total
        if self._in_place:
            if last or now - self._drawn_at >= self._SECONDS_BETWEEN_DRAWS:
                self._drawn_at = now
                self._stream.write("\r" + self._line(now - self._started))
                self._stream.flush()
        elif last or self.done * 10 // self.total > self._drawn_tenth:
            self._drawn_tenth = self.done * 10 // self.total
            self._stream.write(self._line(now - self._started) + "\n")
            self._stream.flush()

    def _line(self, seconds):
        filled = self._WIDTH * self.done // self.total
        remaining = seconds / self.done * (self.total - self.done)
        bar = "#" * filled + "." * (self._WIDTH - filled)
        return f"{self.label} [{bar}] {self.done}/{self.total}, {seconds:.1f} s, {remaining:.1f} s to go   "
