"""Work on positions made by hand, with the rules of a join beside them."""

from pdeval.join.judged import Judged


def ruled(function):
    """Return a function of a join as one of positions, level and topics."""

    def call(positions, *args, level=None, topics="relevant", **options):
        return function(Judged(positions, level, topics), *args, **options)

    return call
