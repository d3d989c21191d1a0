"""Tell what may explain the errors of a kind."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping


class Hints:
    """Collects what would explain each error; one is told where it explains at least half of the errors of its kind."""

    def __init__(self) -> None:
        self._explained: dict[str, Counter[str]] = defaultdict(Counter)
        self._of_example: dict[str, Mapping[str, str]] = {}

    def add(self, kind: str, found: Mapping[str, str], is_example: bool) -> None:
        """Add what would explain an error: sentences about it, by what they have in common with those of others."""
        self._explained[kind].update(found.keys())
        if is_example:
            self._of_example[kind] = found

    def of(self, kind: str, n_errors: int) -> str:
        """Return what would explain most errors of a kind, as a sentence about the example of it; or nothing."""
        shown = self._of_example.get(kind, {})
        if not shown:
            return ""
        explained = self._explained[kind]
        name = max(shown, key=lambda each: explained[each])
        n_explained = explained[name]
        if 2 * n_explained < n_errors:
            return ""
        if n_errors == 1:
            return f" {shown[name]}"
        which = f"all {n_errors}" if n_explained == n_errors else f"{n_explained} of {n_errors}"
        return f" {shown[name]} This would explain {which} such errors."
