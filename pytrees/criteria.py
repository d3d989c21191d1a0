"""The criteria by name: what judges a split."""

from dataclasses import dataclass

__all__ = ["CRITERIA", "Criterion"]


@dataclass(frozen=True)
class Criterion:
    """What the Python layer must know of a criterion.

    Parameters
    ----------
    name : str
        What the engines know it by.
    judges : {"counts", "sequence"}
        Whether it sees the class counts of the children, which rows may add to with different weights, or their label
        sequences in the order of the rows.
    """

    name: str
    judges: str


CRITERIA = {
    criterion.name: criterion
    for criterion in (
        Criterion("gini", judges="counts"),
        Criterion("entropy", judges="counts"),
        Criterion("etc", judges="sequence"),
    )
}
