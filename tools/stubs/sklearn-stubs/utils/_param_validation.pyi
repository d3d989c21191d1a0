from typing import Any

class Interval:
    left: Any
    right: Any
    def __init__(self, type: type, left: float | None, right: float | None, *, closed: str) -> None: ...

def __getattr__(name: str) -> Any: ...
