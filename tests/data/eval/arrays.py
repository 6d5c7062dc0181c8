"""Dense arrays as a shape and a flat list, in row-major order: enough to say what an operation means, element by
element. Standard library alone."""

import itertools


class Array:
    def __init__(self, shape, values):
        self.shape, self.values = tuple(shape), list(values)
        assert len(self.values) == size(self.shape), (shape, len(self.values))

    def __getitem__(self, index):
        return self.values[flat(self.shape, index)]

    def __setitem__(self, index, value):
        self.values[flat(self.shape, index)] = value

    def map(self, f):
        return Array(self.shape, map(f, self.values))


def size(shape):
    n = 1
    for d in shape:
        n *= d
    return n


def flat(shape, index):
    at = 0
    for d, i in zip(shape, index, strict=True):
        assert 0 <= i < d, (shape, index)
        at = at * d + i
    return at


def indices(shape):
    return itertools.product(*map(range, shape))


def make(shape, f):
    """f takes an index."""
    return Array(shape, (f(i) for i in indices(shape)))


def inside(shape, index):
    return all(0 <= i < d for d, i in zip(shape, index, strict=True))


class Random:
    """The same numbers everywhere, whatever Python's version (a linear congruence of Knuth's)."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 33) % n

    def between(self, low, high):
        """Both ends included."""
        return low + self.below(high - low + 1)

    def choice(self, items):
        return items[self.below(len(items))]

    def shuffled(self, items):
        items = list(items)
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items

    def array(self, shape, low=-9, high=9):
        return Array(shape, (self.between(low, high) for _ in range(size(shape))))
