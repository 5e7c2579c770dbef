"""Figures are drawn without a screen, on a fixed canvas, and closed after each test."""

import pytest


@pytest.fixture(autouse=True)
def closed_figures():
    matplotlib = pytest.importorskip("matplotlib", reason="plots need matplotlib")
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture
def column_ax():
    """Axes as wide as a column of a two-column paper."""
    from matplotlib.figure import Figure

    return Figure(figsize=(3.3, 2.4), layout="constrained").subplots()
