"""Work on positions made by hand, with the rules of a join beside them."""

from pdeval.join.judged import Judged


def ruled(function):
    """Return a function of a join as one of positions, level and queries."""

    def call(positions, *args, level=None, queries="relevant", **options):
        return function(Judged(positions, level, queries), *args, **options)

    return call
