"""Children that are labelled with classes: the best match of their scores as one class after the other."""

import heapq

from .counts import add_up


def matched(left, right):
    """The greatest left[a] + right[b] of two different classes; they are among the two best of each child."""
    best_left, best_right = (heapq.nlargest(2, range(len(side)), key=side.__getitem__) for side in (left, right))
    return max(left[a] + right[b] for a in best_left for b in best_right if a != b)


def labelled(children_scores):
    """The greatest sum of the children's scores as classes of which several may be the same, but not all: where all
    children are best as one class, the one to which it makes the least difference is the second-best of its own."""
    labels = [scores.index(max(scores)) for scores in children_scores]
    best = add_up(max(scores) for scores in children_scores)
    if len(set(labels)) > 1:
        return best
    return best - min(scores[labels[0]] - best_but(scores, labels[0]) for scores in children_scores)


def best_but(scores, label):
    """The greatest score of all classes but one."""
    return max(scores[:label] + scores[label + 1 :])
