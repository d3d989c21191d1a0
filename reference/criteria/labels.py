"""Children labelled with classes: the labels with the greatest sum of scores."""

import heapq

from .counts import add_up


def matched(left, right):
    """Return the greatest left[a] + right[b] of two different classes, which are among the two best of each child."""
    best_left, best_right = (heapq.nlargest(2, range(len(side)), key=side.__getitem__) for side in (left, right))
    return max(left[a] + right[b] for a in best_left for b in best_right if a != b)


def labelled(children_scores):
    """Return the greatest sum of the children's scores, each labelled with a class, but not all with the same class. If
    one class is best for all children, the child that loses least gets its second-best class."""
    labels = [scores.index(max(scores)) for scores in children_scores]
    best = add_up(max(scores) for scores in children_scores)
    if len(set(labels)) > 1:
        return best
    return best - min(scores[labels[0]] - best_but(scores, labels[0]) for scores in children_scores)


def best_but(scores, label):
    """Return the greatest score of all classes but one."""
    return max(scores[:label] + scores[label + 1 :])
