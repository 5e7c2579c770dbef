"""Mutants of the orderings that no test can kill: (file, part of the line, changes, why)."""

from __future__ import annotations

from tests.mutations.reasons import AT_A_TIME, PATH, TRUE, TWO_WAYS

IN_ORDERINGS: list[tuple[str, str, tuple[str, ...], str]] = [
    (
        "orderings/markov_chain.py",
        "weight, runs = weight.copy(), weight.shape[-1]",
        ("1 -> 2",),
        "the matrix is square",
    ),
    (
        "orderings/markov_chain.py",
        "if weight.ndim > 2 and min(len(weight), runs) > 1:",
        (
            "weight.ndim > 2 and min(len(weight), runs) > 1 -> (weight.ndim > 2 or min(len(weight), runs) > 1)",
            "weight.ndim > 2 and min(len(weight), runs) > 1 -> (not (weight.ndim > 2 and min(len(weight), runs) > 1))",
            "weight.ndim > 2 -> (weight.ndim >= 2)",
            "1 -> 2",
            "2 -> 3",
        ),
        "which of two ways, with one result within 1e-15",
    ),
    (
        "orderings/bradley_terry.py",
        "even = bool(",
        ("games.size - won.size -> (games.size + won.size)",),
        "the way for uneven games gives the same for even ones",
    ),
    (
        "orderings/bradley_terry.py",
        "height = max(1, CELLS // games[0].size)",
        ("0 -> 1", "1 -> 2", "CELLS // games[0].size -> (CELLS * games[0].size)"),
        AT_A_TIME,
    ),
    ("orderings/bradley_terry.py", "for _ in range(200):", ("200 -> 201",), PATH),
    ("orderings/bradley_terry.py", "break", ("break -> pass",), PATH),
    (
        "orderings/bradley_terry.py",
        "move = np.where(reach[:, None] < 0.5, step",
        ("0.5 -> 1.5", "reach[:, None] < 0.5 -> (reach[:, None] <= 0.5)"),
        PATH,
    ),
    (
        "orderings/bradley_terry.py",
        "done, least = reach * longer < SETTLED",
        ("np.minimum -> np.maximum",),
        PATH,
    ),
    (
        "orderings/bradley_terry.py",
        "keep = ~done & (reach <= 10.0 * least)",
        (
            "10.0 -> 11.0",
            "10.0 * least -> (10.0 / least)",
            "reach <= 10.0 * least -> (reach < 10.0 * least)",
            "~done & (reach <= 10.0 * least) -> (~done | (reach <= 10.0 * least))",
        ),
        PATH,
    ),
    ("orderings/bradley_terry.py", "if keep.all():", ("keep.all -> keep.any",), PATH),
    ("orderings/bradley_terry.py", "continue", ("continue -> pass",), PATH),
    (
        "orderings/bradley_terry.py",
        "left, now, gone, before, least, longer, won, games = (",
        ("left, now, gone, before, least, longer, won, games = ( each[keep] f... -> pass",),
        PATH,
    ),
    (
        "orderings/votes.py",
        "as_one, as_two = (np.searchsorted(side, np.arange(runs + 1))",
        ("1 -> 2",),
        "one end more, which is not looked at",
    ),
    (
        "orderings/votes.py",
        "in_order = bool((np.diff(a * runs + b) > 0).all() and (a < b).all())",
        ("0 -> 1",),
        TWO_WAYS,
    ),
    (
        "orderings/bradley_terry.py",
        "longer = np.maximum((played.mean(axis=0) / played).max(axis=-1), 1.0)",
        (
            "np.maximum -> np.minimum",
            "(played.mean(axis=0) / played).max -> (played.mean(axis=0) / played).min",
            "played.mean(axis=0) -> played.mean()",
            "played.mean(axis=0) / played -> (played.mean(axis=0) * played)",
            "1.0 -> 2.0",
        ),
        PATH,
    ),
    (
        "orderings/bradley_terry.py",
        "played = games.sum(axis=-1)",
        ("1 -> 2",),
        "the matrix is symmetric",
    ),
    (
        "orderings/bradley_terry.py",
        "reach = np.ptp(step, axis=-1, keepdims=True)",
        ("np.ptp(step, axis=-1, keepdims=True) -> np.ptp(step, keepdims=True)",),
        PATH,
    ),
    ("orderings/bradley_terry.py", "if turn:", ("turn -> (not (turn))",), PATH),
    (
        "orderings/bradley_terry.py",
        "share = (step * change).sum(axis=1) / np.maximum((change * change).sum(axis=1)",
        ("(change * change).sum(axis=1) -> (change * change).sum()",),
        PATH,
    ),
    (
        "orderings/bradley_terry.py",
        "move = np.where(reach[:, None] < 0.5, step - share[:, None] * (gone + change), move)",
        (
            "np.where(reach[:, None] < 0.5, step - share[:, None] * (gone + chan... -> "
            "np.where(reach[:, None] < 0.5, move, step - share[:, None] * (gone ...",
        ),
        PATH,
    ),
    (
        "orderings/bradley_terry.py",
        "return np.divide(odds[..., :, None], chance, out=chance)",
        (
            "np.divide(odds[..., :, None], chance, out=chance) -> np.divide(odds[..., :, None], chance)",
        ),
        "where the quotient is written: memory, not the result",
    ),
    (
        "orderings/votes.py",
        "in_order = bool((np.diff(a * runs + b) > 0).all() and (a < b).all())",
        ("a * runs + b -> (a * runs - b)", "(a < b).all -> (a < b).any", "a < b -> (a <= b)"),
        "which of two ways: both add the same numbers of a run, maybe in another order, so that only rounding differs",
    ),
    (
        "orderings/votes.py",
        "if in_order and queries * runs * runs <= 2 * BLOCK:",
        (
            "queries * runs * runs -> (queries * runs / runs)",
            "queries * runs -> (queries / runs)",
            "queries * runs * runs <= 2 * BLOCK -> (queries * runs * runs < 2 * BLOCK)",
            "2 -> 3",
            "2 * BLOCK -> (2 / BLOCK)",
        ),
        TWO_WAYS,
    ),
    (
        "orderings/votes.py",
        'by_two = np.argsort(two, kind="stable")',
        ('np.argsort(two, kind="stable") -> np.argsort(two)',),
        "pairs of one run are added to different runs, in whatever order",
    ),
    (
        "orderings/bradley_terry.py",
        "if fitted.prior > 0:",
        ("0 -> 1",),
        "a prior leaves no resample without strengths: both ways solve all of them",
    ),
    (
        "orderings/votes.py",
        "shared[:] = weights.sum(axis=1, dtype=np.float64)[:, None, None]",
        ("weights.sum(axis=1, dtype=np.float64) -> weights.sum(axis=1)",),
        "whole numbers, exact in single precision below 2**24 queries",
    ),
    (
        "orderings/votes.py",
        "cell = np.arange(n_queries)[:, None] * (n_runs + 1) + rank",
        ("1 -> 2",),
        "the cells of two queries stay apart",
    ),
    (
        "orderings/votes.py",
        "most = shared.max(axis=(-1, -2), keepdims=True, initial=1.0)",
        ("1.0 -> 2.0",),
        "it is added and taken away again, and a half is exact",
    ),
    (
        "orderings/bradley_terry.py",
        "reach.max(initial=0.0) < 1e-6",
        ("reach.max(initial=0.0) < 1e-6 -> (reach.max(initial=0.0) <= 1e-06)",),
        PATH,
    ),
    ("orderings/bradley_terry.py", "reach.max(initial=0.0) < 1e-6", ("0.0 -> 1.0",), PATH),
    (
        "orderings/bradley_terry.py",
        "return np.where(reach > NEAR, np.log1p(reach) / np.maximum(reach, NEAR), 1.0)",
        ("reach > NEAR -> (reach >= NEAR)",),
        PATH,
    ),
    (
        "orderings/bradley_terry.py",
        "scale = max(float(np.trace(curvature)) / size, np.finfo(float).tiny)",
        ("float(np.trace(curvature)) / size -> (float(np.trace(curvature)) * size)",),
        "a level that is added and taken away again",
    ),
    (
        "orderings/bradley_terry.py",
        "np.zeros(len(won), dtype=bool)",
        ("np.zeros(len(won), dtype=bool) -> np.zeros(len(won))",),
        TRUE,
    ),
    (
        "orderings/bradley_terry.py",
        "done, least = reach * longer < SETTLED",
        ("reach * longer < SETTLED -> (reach * longer <= SETTLED)",),
        PATH,
    ),
    (
        "orderings/bradley_terry.py",
        "return strength - strength.mean(axis=1, keepdims=True), settled",
        (
            "strength - strength.mean(axis=1, keepdims=True) -> (strength + strength.mean(axis=1, keepdims=True))",
            "strength.mean(axis=1, keepdims=True) -> strength.mean(keepdims=True)",
        ),
        "every step has mean 0 already, but for rounding",
    ),
    (
        "orderings/bradley_terry.py",
        "odds = np.exp(strength - strength.mean(axis=-1, keepdims=True))",
        (
            "strength - strength.mean(axis=-1, keepdims=True) -> (strength + strength.mean(axis=-1, keepdims=True))",
            "strength.mean(axis=-1, keepdims=True) -> strength.mean(keepdims=True)",
        ),
        "what all odds share cancels in a chance",
    ),
    (
        "orderings/coefficients.py",
        "if len(x) > FEW:",
        ("len(x) > FEW -> (len(x) >= FEW)",),
        TWO_WAYS,
    ),
    (
        "orderings/coefficients.py",
        "return float(stats.kendalltau(x, y).statistic)",
        ("stats.kendalltau(x, y) -> stats.kendalltau(y, x)",),
        "tau is symmetric",
    ),
    (
        "orderings/coefficients.py",
        "* weight)[before > 0].sum()",
        ("before > 0 -> (before >= 0)",),
        "the first adds 0",
    ),
    (
        "orderings/coefficients.py",
        "above, belongs = _above(one, other)",
        ("_above(one, other) -> _above(other, one)",),
        "both ways round are taken, and their mean",
    ),
    (
        "orderings/coefficients.py",
        "return pearson(stats.rankdata(x), stats.rankdata(y))",
        (
            "pearson(stats.rankdata(x), stats.rankdata(y)) -> pearson(stats.rankdata(y), stats.rankdata(x))",
        ),
        "a correlation is symmetric",
    ),
    (
        "orderings/coefficients.py",
        "return float(stats.pearsonr(x, y).statistic)",
        ("stats.pearsonr(x, y) -> stats.pearsonr(y, x)",),
        "a correlation is symmetric",
    ),
    ("orderings/methods.py", "n_runs = net.shape[-1]", ("1 -> 2",), "the matrix is square"),
    (
        "orderings/methods.py",
        "games = (shared + prior) * (1.0 - np.eye(net.shape[-1]))",
        ("1 -> 2",),
        "the matrix is square",
    ),
    (
        "orderings/methods.py",
        "if net.ndim == 2 or len(net) < 2:",
        ("len(net) < 2 -> (len(net) <= 2)",),
        TWO_WAYS,
    ),
    (
        "orderings/correlation.py",
        "times = np.bincount(cell, minlength=1)",
        ("1 -> 2",),
        "one cell more, which is empty",
    ),
    ("orderings/bradley_terry.py", "NEAR = 1e-6", ("1e-6 -> 1.000001",), PATH),
    (
        "orderings/bradley_terry.py",
        "CELLS = 1 << 17",
        ("1 -> 2", "17 -> 18", "1 << 17 -> (1 >> 17)"),
        AT_A_TIME,
    ),
    ("orderings/coefficients.py", "FEW = 256", ("256 -> 257",), TWO_WAYS),
    ("orderings/bradley_terry.py", "if keep.all():", ("keep.all() -> (not (keep.all()))",), PATH),
]
